-- uses: restoring write
-- Remove some of what is there. Takes: the restore's token, where to go on, 0 to begin. Gives where to go on, 0 at the
-- end. It does no harm twice; answers that are remembered go by themselves.
local KEYS_SEEN = 500 -- in one call, about
local found = redis.call('SCAN', take(), 'MATCH', P .. '*', 'COUNT', KEYS_SEEN)
for _, key in ipairs(found[2]) do
  if key ~= P .. 'restoring' and string.sub(key, 1, #P + 6) ~= P .. 'asked:' then redis.call('UNLINK', key) end
end
return found[1]
