-- The last lines of a lane, oldest first. Takes: lane, limit.
local lane, limit = take(), take_number()
if limit < 1 then return {} end
return redis.call('LRANGE', P .. 'lines:' .. lane, -limit, -1)
