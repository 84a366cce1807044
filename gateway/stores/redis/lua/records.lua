-- Records by their numbers, for a backup: number and row in turns; of each dead letter that is called like one of them
-- number, row, time and the list of its parts; and of each that is owed number, row and the list of its parts.
local function records(numbers)
  local turns, buried, owed = {}, {}, {}
  local function add(list, ...)
    for n = 1, select('#', ...) do list[#list + 1] = select(n, ...) end
  end
  for _, number in ipairs(numbers) do
    local record = redis.call('HGET', P .. 'turns:rows', number)
    add(turns, number, record)
    local id = cut(record, 1)
    local letter, row = dead(id)
    local open = letter and not row and redis.call('HGET', P .. 'out:rows', letter)
    if row then
      local closed = redis.call('ZSCORE', P .. 'out:closed', id) or exact(now)
      add(buried, letter, row, closed, redis.call('LRANGE', parts_key(letter), 0, -1))
    elseif open then
      add(owed, letter, open, redis.call('LRANGE', parts_key(letter), 0, -1))
    end
  end
  return turns, buried, owed
end
