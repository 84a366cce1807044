-- Beside the queue 'out': out:ids has the number of every known letter, out:owed how many open letters a turn has,
-- out:parts:NUMBER its parts, out:closed when a letter was closed, out:dead what was not delivered.
-- A row is bot, id, lane, turn, time and body.
local function post(id, bot, lane, turn, row)
  if redis.call('HEXISTS', P .. 'out:ids', id) == 1 then return end
  local number = number_next()
  redis.call('HSET', P .. 'out:ids', id, number)
  if turn ~= '' then redis.call('HINCRBY', P .. 'out:owed', turn, 1) end
  enter('out', lane, bot, number, row)
end

local function parts_key(number) return P .. 'out:parts:' .. number end

-- Write parts by index; the first index there is not, and then nothing is written.
local function take_changes(number)
  local changes, count = {}, redis.call('LLEN', parts_key(number))
  for n = 1, take_number() do
    changes[n] = {take_number(), take()}
    if changes[n][1] < 0 or changes[n][1] >= count then return changes[n][1] end
  end
  for _, change in ipairs(changes) do redis.call('LSET', parts_key(number), change[1], change[2]) end
end

-- A dead letter's number, and its row behind its state; nothing for one that is not dead.
local function dead(id)
  local number = redis.call('HGET', P .. 'out:ids', id)
  return number, number and redis.call('HGET', P .. 'out:dead', number)
end

local function forget_dead(number, row)
  local _, at = cut(row, 1)
  redis.call('ZREM', P .. 'out:dead:bot:' .. cut(row, at), number)
  redis.call('ZREM', P .. 'out:dead:all', number)
  redis.call('HDEL', P .. 'out:dead', number)
  redis.call('UNLINK', parts_key(number))
end
