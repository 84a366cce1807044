-- uses: write once lanes letters
-- Remove the bodies of events that were never run, and dead letters but for their ids, from before a time. Takes: the
-- time, how many at most. Gives how many.
local before, limit = tonumber(take()), take_number()
local left = limit

local unrun = redis.call('HKEYS', P .. 'in:unrun')
for _, number in ipairs(unrun) do
  local closed = left > 0 and redis.call('ZSCORE', P .. 'in:closed', number)
  if closed and tonumber(closed) < before then
    redis.call('HDEL', P .. 'in:unrun', number)
    left = left - 1
  end
end
for _, number in ipairs(redis.call('ZRANGE', P .. 'out:dead:all', 0, left - 1)) do
  if left == 0 then break end
  local row = redis.call('HGET', P .. 'out:dead', number)
  local _, at = cut(row, 1)
  _, at = cut(row, at)
  local closed = redis.call('ZSCORE', P .. 'out:closed', (cut(row, at)))
  if not closed or tonumber(closed) < before then
    forget_dead(number, row)
    left = left - 1
  end
end
return done(whole(limit - left))
