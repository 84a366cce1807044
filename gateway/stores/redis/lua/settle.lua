-- uses: write once lanes turns facts letters
-- Close a letter; a delivered one leaves its id only. Takes: lane, token, state, part changes, record, facts.
local lane, token, state = take(), take(), take()
local number = held('out', lane, token)
if not number then return 'lost' end
local missing = take_changes(number)
if missing then return 'part ' .. missing end

local row = redis.call('HGET', P .. 'out:rows', number)
local bot, at = cut(row, 1)
local id, turn, _
id, at = cut(row, at)
_, at = cut(row, at)
turn = cut(row, at)
close('out', lane, number)
move('out', lane)
redis.call('ZADD', P .. 'out:closed', exact(now), id)
if turn ~= '' and redis.call('HINCRBY', P .. 'out:owed', turn, -1) == 0 then
  redis.call('HDEL', P .. 'out:owed', turn)
end
if state == 'delivered' then
  redis.call('UNLINK', parts_key(number))
else
  redis.call('HSET', P .. 'out:dead', number, packed(state) .. row)
  redis.call('ZADD', P .. 'out:dead:all', number, number)
  redis.call('ZADD', P .. 'out:dead:bot:' .. bot, number, number)
end
take_turn()
take_facts()
return done('ok')
