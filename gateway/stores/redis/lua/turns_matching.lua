-- uses: turns
-- Turns that match, newest first. Takes: bot, lane, state, reason ('' matches all), limit, where to begin. Gives where
-- to go on, -1 at the end, then rows: one call looks at so many records only.
local LOOKED = 1000
local words, key, size = {}, P .. 'turns:all', nil
for _, column in ipairs(INDEXED) do
  local word = take()
  if word ~= '' then
    words[column] = word
    local count = redis.call('ZCARD', turns_key(column, word))
    if not size or count < size then key, size = turns_key(column, word), count end
  end
end
local limit, first = take_number(), take_number()

local function matches(row)
  local known = indexed(row)
  for column, word in pairs(words) do
    if known[column] ~= word then return false end
  end
  return true
end

local found = {-1}
local numbers = redis.call('ZREVRANGE', key, first, first + LOOKED - 1)
for n, number in ipairs(numbers) do
  if #found > limit then return found end
  local row = redis.call('HGET', P .. 'turns:rows', number)
  if matches(row) then found[#found + 1] = row end
end
if #numbers == LOOKED then found[1] = first + LOOKED end
return found
