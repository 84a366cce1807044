-- uses: write once lanes
-- Keep entries in order. Takes: how many; of each bot, lane, row, how many keys, keys. A row is bot, lane, time, body.
local function any_known(keys)
  for _, key in ipairs(keys) do
    if redis.call('ZSCORE', P .. 'known', key) then return true end
  end
  return false
end

local function keep(bot, lane, row, keys)
  if any_known(keys) then return '0' end
  for _, key in ipairs(keys) do redis.call('ZADD', P .. 'known', exact(now), key) end
  local number = number_next()
  if lane == '' then
    redis.call('HSET', P .. 'in:unrun', number, row)
    redis.call('ZADD', P .. 'in:closed', exact(now), number)
  else
    enter('in', lane, bot, number, row)
  end
  return '1'
end

local fresh = {}
for n = 1, take_number() do
  local bot, lane, row, keys = take(), take(), take(), {}
  for k = 1, take_number() do keys[k] = take() end
  fresh[n] = keep(bot, lane, row, keys)
end
return done(table.concat(fresh))
