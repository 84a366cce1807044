-- Some of the lanes that anything is kept of. Takes: where to go on, 0 to begin. Gives where to go on, 0 at the end,
-- and lanes; one may come twice, and one that was there all the time comes.
local KINDS = {'in:lane:', 'out:lane:', 'turns:lane:', 'lines:'}
local KEYS_SEEN = 2000 -- in one call, about
local found = redis.call('SCAN', take(), 'MATCH', P .. '*', 'COUNT', KEYS_SEEN)
local lanes = {}
for _, key in ipairs(found[2]) do
  for _, kind in ipairs(KINDS) do
    local start = P .. kind
    if string.sub(key, 1, #start) == start then lanes[#lanes + 1] = string.sub(key, #start + 1) end
  end
end
return {found[1], lanes}
