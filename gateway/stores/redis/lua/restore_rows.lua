-- uses: restoring write once lanes turns facts letters
-- Keep rows of another store. Takes: the restore's token, how many; of each, its kind and what is said at the kind.
-- A letter that is dead and owed is owed.
local function set_head(q, lane, number, attempts, due)
  if redis.call('HGET', lane_key(q, lane), 'h') ~= number then return end
  redis.call('HSET', lane_key(q, lane), 'n', attempts)
  if tonumber(due) > now then
    redis.call('ZREM', free_key(q, redis.call('HGET', lane_key(q, lane), 'b')), lane)
    redis.call('ZADD', P .. q .. ':late', due, lane)
  end
end

local function take_parts(number)
  for _ = 1, take_number() do redis.call('RPUSH', parts_key(number), take()) end
end

local function unbury(id)
  local number, row = dead(id)
  if row then forget_dead(number, row) end
  redis.call('ZREM', P .. 'out:closed', id)
end

local keep = {
  known = function() -- key with its bot, time
    local key = take()
    redis.call('ZADD', P .. 'known', take(), key)
  end,
  waits = function() -- number, bot, lane, row, attempts, when it is due
    local number, bot, lane, row = take(), take(), take(), take()
    enter('in', lane, bot, number, row)
    set_head('in', lane, number, take(), take())
  end,
  unrun = function() -- number, row, time
    local number = take()
    redis.call('HSET', P .. 'in:unrun', number, take())
    redis.call('ZADD', P .. 'in:closed', take(), number)
  end,
  owed = function() -- number, id, bot, lane, turn, row, attempts, when it is due, how many parts, parts
    local number, id, bot, lane, turn, row, attempts, due = take(), take(), take(), take(), take(), take(), take(), take()
    unbury(id)
    redis.call('HSET', P .. 'out:ids', id, number)
    if turn ~= '' then redis.call('HINCRBY', P .. 'out:owed', turn, 1) end
    enter('out', lane, bot, number, row)
    set_head('out', lane, number, attempts, due)
    take_parts(number)
  end,
  closed = function() -- number, id, time
    local number, id = take(), take()
    local fresh = redis.call('HSETNX', P .. 'out:ids', id, number) == 1
    local at = take()
    if fresh then redis.call('ZADD', P .. 'out:closed', at, id) end
  end,
  buried = function() -- number, id, bot, row behind its state, time, how many parts, parts
    local number, id, bot, row, at = take(), take(), take(), take(), take()
    if redis.call('HSETNX', P .. 'out:ids', id, number) == 0 then
      for _ = 1, take_number() do take() end
      return
    end
    redis.call('ZADD', P .. 'out:closed', at, id)
    redis.call('HSET', P .. 'out:dead', number, row)
    redis.call('ZADD', P .. 'out:dead:all', number, number)
    redis.call('ZADD', P .. 'out:dead:bot:' .. bot, number, number)
    take_parts(number)
  end,
  turn = function() -- number, row
    local number = take()
    write_turn(take(), number)
  end,
  line = function() -- lane, row
    local lane = take()
    redis.call('RPUSH', P .. 'lines:' .. lane, take())
  end,
  fact = function() -- key, value, until when or ''
    local key = take()
    redis.call('HSET', P .. 'facts', key, take())
    redis.call('ZADD', P .. 'facts:keys', 0, key)
    local till = take()
    if till ~= '' then redis.call('ZADD', P .. 'facts:until', till, key) end
  end,
}
for _ = 1, take_number() do keep[take()]() end
return done('ok')
