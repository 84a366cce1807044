-- How many rows wait where: inbox, claimed, outbox, dead, turns, facts.
local after = '(' .. exact(now)
return {
  redis.call('HLEN', P .. 'in:rows'),
  redis.call('ZCOUNT', P .. 'in:held', after, '+inf'),
  redis.call('HLEN', P .. 'out:rows'),
  redis.call('ZCARD', P .. 'out:dead:all'),
  redis.call('HLEN', P .. 'turns:rows'),
  redis.call('ZCARD', P .. 'facts:keys') - redis.call('ZCOUNT', P .. 'facts:until', '-inf', exact(now)),
}
