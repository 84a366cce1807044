-- uses: write once lanes letters
-- Keep a letter's rendered parts, once, or anew while nothing was sent. Takes: lane, token, whether anew, how many,
-- parts.
local number = held('out', take(), take())
if not number then return 'lost' end
local anew = take() == '1'
for _, part in ipairs(redis.call('LRANGE', parts_key(number), 0, -1)) do
  local state, at = cut(part, 1)
  local _, after = cut(part, at)
  if not anew or state ~= 'pending' or cut(part, after) ~= '' then return 'planned' end
end
redis.call('UNLINK', parts_key(number))
for _ = 1, take_number() do redis.call('RPUSH', parts_key(number), take()) end
return done('ok')
