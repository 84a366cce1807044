-- Facts are in facts by key; facts:keys orders the keys, facts:until says until when those last that end.
local function kept(key)
  local till = redis.call('ZSCORE', P .. 'facts:until', key)
  return not till or tonumber(till) > now
end

local function fact(key) return kept(key) and redis.call('HGET', P .. 'facts', key) end

local function remove_fact(key)
  redis.call('HDEL', P .. 'facts', key)
  redis.call('ZREM', P .. 'facts:keys', key)
  redis.call('ZREM', P .. 'facts:until', key)
end

local function take_fact()
  local key, keep, value, ttl = take(), take(), take(), take()
  if keep == '0' then return remove_fact(key) end
  redis.call('HSET', P .. 'facts', key, value)
  redis.call('ZADD', P .. 'facts:keys', 0, key)
  if ttl == '' then
    redis.call('ZREM', P .. 'facts:until', key)
  else
    redis.call('ZADD', P .. 'facts:until', exact(now + tonumber(ttl)), key)
  end
end

local function take_facts()
  for _ = 1, take_number() do take_fact() end
end
