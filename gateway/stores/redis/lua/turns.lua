-- Records are in turns:rows by number; turns:ids has the number of an id, turns:refs those of a reference. The
-- sorted sets turns:all and turns:COLUMN:WORD order numbers by time; numbers are padded, so that among equals
-- the order of text is theirs. A row begins with id, ref, bot, lane, state, reason and time.
local INDEXED = {'bot', 'lane', 'state', 'reason'}

local function turns_key(column, word) return P .. 'turns:' .. column .. ':' .. word end

local function indexed(row)
  local fields, at, known = {}, 1, {}
  for n = 1, 7 do fields[n], at = cut(row, at) end
  known.id, known.ref, known.at = fields[1], fields[2], fields[7]
  for n, column in ipairs(INDEXED) do known[column] = fields[n + 2] end
  return known
end

local function unlink_ref(ref, number)
  local kept = {}
  for other in string.gmatch(redis.call('HGET', P .. 'turns:refs', ref) or '', '%d+') do
    if other ~= number then kept[#kept + 1] = other end
  end
  if #kept > 0 then
    redis.call('HSET', P .. 'turns:refs', ref, table.concat(kept, ','))
  else
    redis.call('HDEL', P .. 'turns:refs', ref)
  end
end

local function link_ref(ref, number)
  local others = redis.call('HGET', P .. 'turns:refs', ref)
  redis.call('HSET', P .. 'turns:refs', ref, others and (others .. ',' .. number) or number)
end

local function write_turn(row, given)
  local new, old = indexed(row), {}
  local number = redis.call('HGET', P .. 'turns:ids', new.id)
  if number then
    old = indexed(redis.call('HGET', P .. 'turns:rows', number))
  else
    number = given or string.format('%016.0f', redis.call('INCR', P .. 'number'))
    redis.call('HSET', P .. 'turns:ids', new.id, number)
  end
  redis.call('HSET', P .. 'turns:rows', number, row)
  if old.ref ~= new.ref then
    if old.ref then unlink_ref(old.ref, number) end
    link_ref(new.ref, number)
  end
  redis.call('ZADD', P .. 'turns:all', new.at, number)
  for _, column in ipairs(INDEXED) do
    if old[column] and old[column] ~= new[column] then
      redis.call('ZREM', turns_key(column, old[column]), number)
    end
    redis.call('ZADD', turns_key(column, new[column]), new.at, number)
  end
end

local function remove_turn(number, known)
  redis.call('ZREM', P .. 'turns:all', number)
  for _, column in ipairs(INDEXED) do redis.call('ZREM', turns_key(column, known[column]), number) end
  unlink_ref(known.ref, number)
  redis.call('HDEL', P .. 'turns:ids', known.id)
  redis.call('HDEL', P .. 'turns:rows', number)
end

local function take_turn()
  if take() == '1' then write_turn(take()) end
end
