-- The highest number given so far.
return redis.call('GET', P .. 'number') or '0'
