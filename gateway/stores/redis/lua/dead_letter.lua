-- uses: lanes letters
-- A letter that was not delivered: state and row in one, when it was closed, its parts. Takes: id. Gives nothing for
-- one that is not dead.
local id = take()
local number, row = dead(id)
if not row then return {} end
return {row, redis.call('ZSCORE', P .. 'out:closed', id), redis.call('LRANGE', parts_key(number), 0, -1)}
