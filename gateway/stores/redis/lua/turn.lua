-- A turn by id, or the newest with this reference. Takes: the key.
local key = take()
local number = redis.call('HGET', P .. 'turns:ids', key)
if not number then
  local best = nil
  for other in string.gmatch(redis.call('HGET', P .. 'turns:refs', key) or '', '%d+') do
    local at = tonumber(redis.call('ZSCORE', P .. 'turns:all', other))
    if not best or at > best or (at == best and other > number) then best, number = at, other end
  end
end
return number and redis.call('HGET', P .. 'turns:rows', number)
