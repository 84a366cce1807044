-- uses: write once lanes turns letters
-- Owe a dead letter again, behind what its lane owes. Takes: id, the time it counts from, the record. Gives whether it
-- was dead.
local id, since = take(), take()
local number, row = dead(id)
if not row then return done('0') end

local fields, at = {}, 1
for n = 1, 7 do fields[n], at = cut(row, at) end -- state, bot, id, lane, turn, time, body
fields[6] = since
local fresh = ''
for n = 2, 7 do fresh = fresh .. packed(fields[n]) end

local parts = redis.call('LRANGE', parts_key(number), 0, -1)
forget_dead(number, row)
redis.call('HDEL', P .. 'out:ids', id)
redis.call('ZREM', P .. 'out:closed', id)
post(id, fields[2], fields[4], fields[5], fresh)
local key = parts_key(redis.call('HGET', P .. 'out:ids', id))
for _, part in ipairs(parts) do
  local state, after = cut(part, 1)
  if state == 'skipped' then part = packed('pending') .. packed((cut(part, after))) .. packed('') end
  redis.call('RPUSH', key, part)
end
take_turn()
return done('1')
