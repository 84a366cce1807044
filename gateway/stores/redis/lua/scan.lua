-- uses: facts
-- The last facts whose keys start so: key and value in turns, last first. Takes: prefix, limit.
local prefix, limit = take(), take_number()
local STEP = 500
local found, first = {}, 0
-- No text holds a byte 255, so it comes after every key that starts so.
local from, to = '(' .. prefix .. '\255', '[' .. prefix
while #found < 2 * limit do
  local keys = redis.call('ZREVRANGEBYLEX', P .. 'facts:keys', from, to, 'LIMIT', first, STEP)
  for _, key in ipairs(keys) do
    if #found == 2 * limit then break end
    if kept(key) then
      found[#found + 1] = key
      found[#found + 1] = redis.call('HGET', P .. 'facts', key)
    end
  end
  if #keys < STEP then break end
  first = first + STEP
end
return found
