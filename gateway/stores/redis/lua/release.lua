-- uses: write once
-- Give a named lease back, if it is still the owner's. Takes: name, owner.
local name, owner = take(), take()
local row = redis.call('HGET', P .. 'leases', name)
if row and cut(row, 1) == owner then redis.call('HDEL', P .. 'leases', name) end
return done('ok')
