-- Letters that were not delivered, newest first: state and row in one. Takes: bot or '', limit.
local bot, limit = take(), take_number()
local key = bot == '' and 'out:dead:all' or 'out:dead:bot:' .. bot
local found = {}
if limit < 1 then return found end
for n, number in ipairs(redis.call('ZREVRANGE', P .. key, 0, limit - 1)) do
  found[n] = redis.call('HGET', P .. 'out:dead', number)
end
return found
