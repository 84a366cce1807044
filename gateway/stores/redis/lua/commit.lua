-- uses: write once lanes turns facts letters
-- End a claimed entry with everything it produced. Takes: lane, token, the record; whether history is cleared; how
-- many turns are forgotten, ids; how many lines, of each lane, row; how many letters, of each id, bot, lane, turn,
-- row; facts. A line begins with its turn.
local LINES_KEPT = 10000 -- as many as any bot may be told to read
local lane, token = take(), take()
local number = held('in', lane, token)
if not number then return 'lost' end

local function forget(key, turns)
  if next(turns) == nil then return end
  local gone = {}
  for _, line in ipairs(redis.call('LRANGE', key, 0, -1)) do
    if turns[cut(line, 1)] then gone[line] = true end
  end
  for line in pairs(gone) do redis.call('LREM', key, 0, line) end
end

close('in', lane, number)
move('in', lane)
take_turn()
local clear, turns = take(), {}
for _ = 1, take_number() do turns[take()] = true end
if clear == '1' then
  redis.call('UNLINK', P .. 'lines:' .. lane)
else
  forget(P .. 'lines:' .. lane, turns)
end
for _ = 1, take_number() do
  local key = P .. 'lines:' .. take()
  if redis.call('RPUSH', key, take()) > LINES_KEPT then redis.call('LTRIM', key, -LINES_KEPT, -1) end
end
for _ = 1, take_number() do post(take(), take(), take(), take(), take()) end
take_facts()
return done('ok')
