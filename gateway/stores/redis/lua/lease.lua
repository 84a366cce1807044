-- uses: write once
-- Take or renew a named lease. Takes: name, owner, seconds. A row is the owner and until when.
local name, owner, seconds = take(), take(), take_number()
local row = redis.call('HGET', P .. 'leases', name)
if row then
  local holder, at = cut(row, 1)
  if holder ~= owner and tonumber((cut(row, at))) > now then return '0' end
end
redis.call('HSET', P .. 'leases', name, packed(owner) .. packed(exact(now + seconds)))
return done('1')
