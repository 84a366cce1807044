-- uses: lanes
-- Entries that wait in a lane: number and row in turns. Takes: lane.
local lane = take()
local busy, found = leased('in', lane), {}
for _, number in ipairs(redis.call('LRANGE', P .. 'in:fifo:' .. lane, 0, -1)) do
  if number ~= busy then
    found[#found + 1] = number
    found[#found + 1] = redis.call('HGET', P .. 'in:rows', number)
  end
end
return found
