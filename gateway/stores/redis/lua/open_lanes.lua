-- Some of the lanes in which entries are open. Takes: where to go on, 0 to begin. Gives where to go on, 0 at the end, and
-- lanes; one may come twice, and one that was there all the time comes.
local KEYS_SEEN = 2000 -- in one call, about
local start = P .. 'in:lane:'
local found = redis.call('SCAN', take(), 'MATCH', start .. '*', 'COUNT', KEYS_SEEN)
local lanes = {}
for n, key in ipairs(found[2]) do lanes[n] = string.sub(key, #start + 1) end
return {found[1], lanes}
