-- uses: write once lanes turns facts letters
-- Remove what was closed before a time, and facts and keys that have served. Takes: the time, how many at most. Gives
-- how many.
-- Platforms redeliver within a day, whatever the retention of content is; after three no key serves any more.
local KEY_AGE, KEY_MOST = 24 * 3600, 3 * 24 * 3600
local before, limit = take(), take_number()
local known_before = exact(math.max(math.min(tonumber(before), now - KEY_AGE), now - KEY_MOST))
local left = limit

local function old(key, score) return redis.call('ZRANGEBYSCORE', P .. key, '-inf', score, 'LIMIT', 0, left) end

local function remove_letter(id)
  local number, row = dead(id)
  if row then forget_dead(number, row) end
  redis.call('HDEL', P .. 'out:ids', id)
  redis.call('ZREM', P .. 'out:closed', id)
end

-- The entry is the field after those that are indexed.
local function open(row, known)
  local at, entry = 1, nil
  for _ = 1, 8 do entry, at = cut(row, at) end
  return redis.call('HEXISTS', P .. 'in:rows', entry) == 1 or redis.call('HEXISTS', P .. 'out:owed', known.id) == 1
end

local SEEN = 1000 -- records, at most, that one call passes over because they are open or owed
local function remove_turns()
  local passed = 0
  while left > 0 and passed < SEEN do
    local numbers = redis.call('ZRANGEBYSCORE', P .. 'turns:all', '-inf', '(' .. before, 'LIMIT', passed, left)
    if #numbers == 0 then return end
    for _, number in ipairs(numbers) do
      local row = redis.call('HGET', P .. 'turns:rows', number)
      local known = indexed(row)
      if open(row, known) then
        passed = passed + 1
      else
        remove_turn(number, known)
        left = left - 1
      end
    end
  end
end

for _, number in ipairs(old('in:closed', '(' .. before)) do
  redis.call('HDEL', P .. 'in:unrun', number)
  redis.call('ZREM', P .. 'in:closed', number)
  left = left - 1
end
for _, id in ipairs(old('out:closed', '(' .. before)) do
  remove_letter(id)
  left = left - 1
end
remove_turns()
for _, key in ipairs(old('known', '(' .. known_before)) do
  redis.call('ZREM', P .. 'known', key)
  left = left - 1
end
for _, key in ipairs(old('facts:until', exact(now))) do
  remove_fact(key)
  left = left - 1
end
return done(whole(limit - left))
