-- uses: write lanes
-- Lease free heads, oldest first. Takes: queue, worker, limit, lease in seconds, how many bots, bots, how many lanes
-- to skip, lanes. Gives of each: number, token, attempts, row and the list of its parts.
local q, worker, limit, seconds = take(), take(), take_number(), take_number()

local function given(lane, token)
  local known = redis.call('HMGET', P .. q .. ':lane:' .. lane, 'h', 'n')
  local row = redis.call('HGET', P .. q .. ':rows', known[1])
  return {known[1], token, known[2], row, redis.call('LRANGE', P .. q .. ':parts:' .. known[1], 0, -1)}
end

local function token_of(n) return ARGV[2] .. '.' .. n end

local function again()
  local claims, at, n, lane = {}, 1, 0, nil
  while at <= #answered do
    lane, at = cut(answered, at)
    n = n + 1
    if held(q, lane, token_of(n)) then claims[#claims + 1] = given(lane, token_of(n)) end
  end
  return claims
end

-- A gateway asks for work every second or so, and gateways says until when it is thought alive. One that died had
-- its leases for longer than that; one that only slept writes on until somebody else claims.
local ALIVE = 8 -- seconds

local function bury()
  for _, gone in ipairs(redis.call('ZRANGEBYSCORE', P .. 'gateways', '-inf', exact(now), 'LIMIT', 0, 10)) do
    for _, queue in ipairs({'in', 'out'}) do
      for _, lane in ipairs(redis.call('ZRANGE', P .. queue .. ':held', 0, -1)) do
        if redis.call('HGET', lane_key(queue, lane), 'g') == gone then
          redis.call('ZADD', P .. queue .. ':held', exact(now), lane)
        end
      end
    end
    redis.call('ZREM', P .. 'gateways', gone)
  end
end

local function live()
  local till = redis.call('ZSCORE', P .. 'gateways', ARGV[3])
  if not till or tonumber(till) < now + ALIVE / 2 then
    redis.call('ZADD', P .. 'gateways', exact(now + ALIVE), ARGV[3])
  end
  bury()
end

if answered then
  redis.call('PEXPIRE', asked, ANSWER_KEPT) -- a write, as in once
  return again()
end
local bots, skip, claims, lanes = {}, {}, {}, {}
for n = 1, take_number() do bots[n] = take() end
local skipped = take_number()
for _ = 1, skipped do skip[take()] = true end
if ARGV[1] == '' then live() end -- in a test time leaps
reap(q)
for n, head in ipairs(free(q, bots, limit, skip, skipped)) do
  if n > limit then break end
  lease(q, head[2], head[3], token_of(n), worker, now + seconds)
  claims[n] = given(head[2], token_of(n))
  lanes[n] = packed(head[2])
end
if #lanes > 0 then done(table.concat(lanes)) end
return claims
