-- uses: write once lanes letters
-- Keep a letter's rendered parts, once. Takes: lane, token, how many, parts.
local number = held('out', take(), take())
if not number then return 'lost' end
if redis.call('EXISTS', parts_key(number)) == 1 then return 'planned' end
for _ = 1, take_number() do redis.call('RPUSH', parts_key(number), take()) end
return done('ok')
