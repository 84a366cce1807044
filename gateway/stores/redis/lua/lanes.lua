-- The inbox and the outbox are queues of one make: a FIFO of numbers for each lane, its head leased to one worker.
-- Of queue q: q:rows has what is open, by number; q:fifo:LANE the order; q:lane:LANE the head (h), its bot (b),
-- token (t), attempts (n), gateway (g) and worker (w). A lane with something open is in q:free:BOT by its head, in q:held by
-- the end of its lease, or in q:late by when it is due. The token stays when a lease runs out: its owner may
-- still write until somebody else claims.
local REAPED = 1000 -- lanes, at most, that one claim frees because their time has come

local function lane_key(q, lane) return P .. q .. ':lane:' .. lane end
local function fifo_key(q, lane) return P .. q .. ':fifo:' .. lane end
local function free_key(q, bot) return P .. q .. ':free:' .. bot end

local function enter(q, lane, bot, number, row)
  redis.call('HSET', P .. q .. ':rows', number, row)
  if redis.call('RPUSH', fifo_key(q, lane), number) == 1 then
    redis.call('HSET', lane_key(q, lane), 'h', number, 'b', bot, 'n', '0')
    redis.call('ZADD', free_key(q, bot), number, lane)
    woke = true
  end
end

local function reap(q)
  for _, hold in ipairs({':held', ':late'}) do
    local over = redis.call('ZRANGEBYSCORE', P .. q .. hold, '-inf', exact(now), 'LIMIT', 0, REAPED)
    for _, lane in ipairs(over) do
      local known = redis.call('HMGET', lane_key(q, lane), 'h', 'b')
      redis.call('ZADD', free_key(q, known[2]), known[1], lane)
      redis.call('ZREM', P .. q .. hold, lane)
    end
  end
end

-- Each bot's oldest free heads, merged: number and lane, oldest first.
local function free(q, bots, limit, skip, skipped)
  local found = {}
  for _, bot in ipairs(bots) do
    local heads = redis.call('ZRANGE', free_key(q, bot), 0, limit + skipped - 1, 'WITHSCORES')
    for at = 1, #heads, 2 do
      if not skip[heads[at]] then
        found[#found + 1] = {tonumber(heads[at + 1]), heads[at], bot}
      end
    end
  end
  table.sort(found, function(one, other) return one[1] < other[1] end)
  return found
end

local function lease(q, lane, bot, token, worker, till)
  redis.call('HSET', lane_key(q, lane), 't', token, 'g', ARGV[3], 'w', worker)
  redis.call('ZREM', free_key(q, bot), lane)
  redis.call('ZADD', P .. q .. ':held', exact(till), lane)
  return redis.call('HINCRBY', lane_key(q, lane), 'n', 1)
end

local function renew(q, lane, token, till)
  local known = redis.call('HMGET', lane_key(q, lane), 't', 'b')
  if known[1] ~= token then return false end
  redis.call('ZADD', P .. q .. ':held', exact(till), lane)
  redis.call('ZREM', free_key(q, known[2]), lane)
  return true
end

-- The head that a token holds, or nothing.
local function held(q, lane, token)
  local known = redis.call('HMGET', lane_key(q, lane), 't', 'h')
  return known[1] == token and known[2] or nil
end

local function let_go(q, lane)
  local bot = redis.call('HGET', lane_key(q, lane), 'b')
  redis.call('ZREM', P .. q .. ':held', lane)
  redis.call('ZREM', P .. q .. ':late', lane)
  redis.call('ZREM', free_key(q, bot), lane)
  return bot
end

-- Free a lane, its head to be claimed again after `delay` seconds.
local function put_off(q, lane, delay)
  local bot = let_go(q, lane)
  redis.call('HDEL', lane_key(q, lane), 't', 'g', 'w')
  if delay > 0 then
    redis.call('ZADD', P .. q .. ':late', exact(now + delay), lane)
  else
    redis.call('ZADD', free_key(q, bot), redis.call('HGET', lane_key(q, lane), 'h'), lane)
  end
  woke = true
end

-- Take a row out of its lane; whether it was open there.
local function close(q, lane, number)
  if redis.call('LREM', fifo_key(q, lane), 1, number) == 0 then return false end
  redis.call('HDEL', P .. q .. ':rows', number)
  return true
end

-- Free a lane whose head was closed, for what waits behind it.
local function move(q, lane)
  let_go(q, lane)
  local head = redis.call('LINDEX', fifo_key(q, lane), 0)
  if not head then
    redis.call('DEL', lane_key(q, lane))
    return
  end
  local bot = cut(redis.call('HGET', P .. q .. ':rows', head), 1)
  redis.call('HSET', lane_key(q, lane), 'h', head, 'b', bot, 'n', '0')
  redis.call('HDEL', lane_key(q, lane), 't', 'g', 'w')
  redis.call('ZADD', free_key(q, bot), head, lane)
  woke = true
end

-- A lane's head while it is leased.
local function leased(q, lane)
  local till = redis.call('ZSCORE', P .. q .. ':held', lane)
  return till and tonumber(till) > now and redis.call('HGET', lane_key(q, lane), 'h')
end
