-- uses: restoring write once
-- Let gateways have the store. Takes: the restore's token, the highest number given so far, the schema version.
redis.call('SET', P .. 'number', take())
redis.call('SET', P .. 'schema', take())
redis.call('UNLINK', P .. 'restoring')
woke = true
return done('ok')
