-- The schema version of the store, written into an empty one and raised in one that no other gateway uses; whether
-- it was restored in part; and whether another gateway uses it. Takes: the version this gateway knows.
local key, mine = P .. 'schema', take_number()
redis.call('SET', key, whole(mine), 'NX')
local known = tonumber(redis.call('GET', key))
local used = #redis.call('ZRANGEBYSCORE', P .. 'gateways', '(' .. exact(now), '+inf', 'LIMIT', 0, 1)
if known < mine and used == 0 then
  redis.call('SET', key, whole(mine))
  known = mine
end
return {known, redis.call('EXISTS', P .. 'restoring'), used}
