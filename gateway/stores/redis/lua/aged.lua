-- Records between two times, oldest first. Takes: from when on, before when, how many at most. Gives rows.
local after, before, limit = take(), take(), take_number()
local rows = {}
local numbers = redis.call('ZRANGEBYSCORE', P .. 'turns:all', after, '(' .. before, 'LIMIT', 0, limit)
for n, number in ipairs(numbers) do rows[n] = redis.call('HGET', P .. 'turns:rows', number) end
return rows
