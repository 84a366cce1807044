-- What is kept of a lane at this instant. Takes: lane, how many records at most. Gives of the inbox and of the outbox
-- the head's attempts and when it is due, then number and row of each in turns, with the list of its parts in the
-- outbox; the lines; how many records there are, and number and row of the newest in turns, the oldest first.
local lane, most = take(), take_number()

local function queue(q, give)
  local out = {redis.call('HGET', P .. q .. ':lane:' .. lane, 'n') or '0', redis.call('ZSCORE', P .. q .. ':late', lane) or '0'}
  for _, number in ipairs(redis.call('LRANGE', P .. q .. ':fifo:' .. lane, 0, -1)) do
    out[#out + 1] = number
    out[#out + 1] = redis.call('HGET', P .. q .. ':rows', number)
    if give then out[#out + 1] = redis.call('LRANGE', P .. q .. ':parts:' .. number, 0, -1) end
  end
  return out
end

local turns, key = {}, P .. 'turns:lane:' .. lane
for _, number in ipairs(redis.call('ZRANGE', key, -most, -1)) do
  turns[#turns + 1] = number
  turns[#turns + 1] = redis.call('HGET', P .. 'turns:rows', number)
end
return {queue('in'), queue('out', true), redis.call('LRANGE', P .. 'lines:' .. lane, 0, -1), redis.call('ZCARD', key), turns}
