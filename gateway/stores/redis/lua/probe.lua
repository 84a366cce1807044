-- Commands of the other scripts that this user may not run, or that the server does not know: an error in the
-- middle of a script would leave half of it done.
local text, hash, list, sorted = P .. 'probe:text', P .. 'probe:hash', P .. 'probe:list', P .. 'probe:sorted'
local commands = {
  {'SET', text, '1', 'PX', '1000'}, {'GET', text}, {'MGET', text}, {'INCR', text}, {'EXISTS', text}, {'PEXPIRE', text, '1000'},
  {'UNLINK', text},
  {'HSET', hash, 'a', '1'}, {'HGET', hash, 'a'}, {'HMGET', hash, 'a'}, {'HLEN', hash}, {'HEXISTS', hash, 'a'},
  {'HINCRBY', hash, 'a', 1}, {'HKEYS', hash}, {'HSETNX', hash, 'b', '1'}, {'HSCAN', hash, '0'}, {'HDEL', hash, 'a'},
  {'RPUSH', list, 'a'}, {'LSET', list, 0, 'a'}, {'LLEN', list}, {'LINDEX', list, 0}, {'LRANGE', list, 0, -1},
  {'LTRIM', list, 0, 9}, {'LREM', list, 0, 'a'}, {'LPOP', list}, {'SCAN', '0', 'COUNT', '1'},
  {'ZADD', sorted, 0, 'a'}, {'ZSCORE', sorted, 'a'}, {'ZCARD', sorted}, {'ZCOUNT', sorted, '-inf', '+inf'},
  {'ZRANGE', sorted, 0, -1}, {'ZREVRANGE', sorted, 0, -1}, {'ZRANGEBYSCORE', sorted, '-inf', '+inf'},
  {'ZREVRANGEBYLEX', sorted, '+', '-'}, {'ZSCAN', sorted, '0'}, {'ZREM', sorted, 'a'}, {'DEL', text, hash, list, sorted},
}
local refused = {}
for _, command in ipairs(commands) do
  local answer = redis.pcall(unpack(command))
  if type(answer) == 'table' and answer.err then refused[#refused + 1] = command[1] end
end
return refused
