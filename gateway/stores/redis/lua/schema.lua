-- The schema version of the store, written into an empty one. Takes: the version this gateway knows.
local key = P .. 'schema'
redis.call('SET', key, take(), 'NX')
return redis.call('GET', key)
