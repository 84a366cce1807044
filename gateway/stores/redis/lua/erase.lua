-- uses: write once lanes turns facts letters
-- Remove, as if it had never been, all that is named. Takes: how many lanes, lanes; how many turns, of each id, lane;
-- how many entries, of each lane, number; how many facts, keys. Gives how many rows.
local gone = 0

-- Close rows of a lane; what waits behind its head moves up.
local function close_some(q, lane, wanted)
  local head, headless = redis.call('HGET', lane_key(q, lane), 'h'), false
  for _, number in ipairs(redis.call('LRANGE', fifo_key(q, lane), 0, -1)) do
    local row = redis.call('HGET', P .. q .. ':rows', number)
    if wanted(number, row) and close(q, lane, number) then
      gone = gone + 1
      headless = headless or number == head
      if q == 'in' then
        redis.call('ZADD', P .. 'in:closed', exact(now), number)
      else
        local _, at = cut(row, 1)
        local id, turn
        id, at = cut(row, at)
        _, at = cut(row, at)
        turn = cut(row, at)
        redis.call('UNLINK', parts_key(number))
        redis.call('ZADD', P .. 'out:closed', exact(now), id)
        if turn ~= '' and redis.call('HINCRBY', P .. 'out:owed', turn, -1) == 0 then
          redis.call('HDEL', P .. 'out:owed', turn)
        end
      end
    end
  end
  if headless then move(q, lane) end
end

local function all() return true end

local function drop_dead(wanted)
  for _, number in ipairs(redis.call('ZRANGE', P .. 'out:dead:all', 0, -1)) do
    local row = redis.call('HGET', P .. 'out:dead', number)
    local _, at = cut(row, 1)
    _, at = cut(row, at)
    _, at = cut(row, at)
    local lane, turn
    lane, at = cut(row, at)
    turn = cut(row, at)
    if wanted[lane] or wanted[turn] then
      forget_dead(number, row)
      gone = gone + 1
    end
  end
end

local named = {}
for _ = 1, take_number() do
  local lane = take()
  named[lane] = true
  close_some('in', lane, all)
  close_some('out', lane, all)
  gone = gone + redis.call('LLEN', P .. 'lines:' .. lane)
  redis.call('UNLINK', P .. 'lines:' .. lane)
end

local lanes, turns = {}, {}
for _ = 1, take_number() do
  local id, lane = take(), take()
  turns[id], lanes[lane], named[id] = true, true, true
  local number = redis.call('HGET', P .. 'turns:ids', id)
  if number then
    remove_turn(number, indexed(redis.call('HGET', P .. 'turns:rows', number)))
    gone = gone + 1
  end
end
for lane in pairs(lanes) do
  close_some('out', lane, function(_, row)
    local _, at = cut(row, 1)
    _, at = cut(row, at)
    _, at = cut(row, at)
    return turns[(cut(row, at))]
  end)
  for _, line in ipairs(redis.call('LRANGE', P .. 'lines:' .. lane, 0, -1)) do
    if turns[(cut(line, 1))] then gone = gone + redis.call('LREM', P .. 'lines:' .. lane, 1, line) end
  end
end
if next(named) then drop_dead(named) end

for _ = 1, take_number() do
  local lane, number = take(), take()
  close_some('in', lane, function(other) return other == number end)
end
for _ = 1, take_number() do
  local key = take()
  if redis.call('HEXISTS', P .. 'facts', key) == 1 then gone = gone + 1 end
  remove_fact(key)
end
return done(whole(gone))
