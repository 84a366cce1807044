-- Records of a lane by their place in time: number and row in turns. Takes: lane, the first place, the last.
local lane, first, last = take(), take_number(), take_number()
local turns = {}
for _, number in ipairs(redis.call('ZRANGE', P .. 'turns:lane:' .. lane, first, last)) do
  turns[#turns + 1] = number
  turns[#turns + 1] = redis.call('HGET', P .. 'turns:rows', number)
end
return turns
