-- uses: lanes letters records
-- What is kept of a lane at this instant. Takes: lane, how many records at most. Gives of the inbox and of the outbox
-- the head's attempts and when it is due, then number and row of each in turns, with the list of its parts in the
-- outbox; the lines; how many records there are, number and row of the newest in turns, the oldest first; and number,
-- row, time and the list of its parts of each dead letter that is called like one of these.
local lane, most = take(), take_number()

local function queue(q)
  local attempts, due = redis.call('HGET', lane_key(q, lane), 'n'), redis.call('ZSCORE', P .. q .. ':late', lane)
  local out = {attempts or '0', due or '0'}
  for _, number in ipairs(redis.call('LRANGE', fifo_key(q, lane), 0, -1)) do
    out[#out + 1] = number
    out[#out + 1] = redis.call('HGET', P .. q .. ':rows', number)
    if q == 'out' then out[#out + 1] = redis.call('LRANGE', parts_key(number), 0, -1) end
  end
  return out
end

local key = P .. 'turns:lane:' .. lane
local turns, buried = records(redis.call('ZRANGE', key, -most, -1))
local lines = redis.call('LRANGE', P .. 'lines:' .. lane, 0, -1)
return {queue('in'), queue('out'), lines, redis.call('ZCARD', key), turns, buried}
