-- Commands of the other scripts that this user may not run, or that the server does not know: an error in the
-- middle of a script would leave half of it done.
local key = P .. 'probe'
local commands = {
  {'SET', key, '1', 'PX', '1000'}, {'GET', key}, {'INCR', key}, {'EXISTS', key}, {'UNLINK', key},
  {'HSET', key, 'a', '1'}, {'HGET', key, 'a'}, {'HMGET', key, 'a'}, {'HLEN', key}, {'HEXISTS', key, 'a'},
  {'HINCRBY', key, 'a', 1}, {'HDEL', key, 'a'},
  {'RPUSH', key, 'a'}, {'LSET', key, 0, 'a'}, {'LLEN', key}, {'LINDEX', key, 0}, {'LRANGE', key, 0, -1},
  {'LREM', key, 0, 'a'},
  {'ZADD', key, 0, 'a'}, {'ZSCORE', key, 'a'}, {'ZCARD', key}, {'ZCOUNT', key, '-inf', '+inf'},
  {'ZRANGE', key, 0, -1}, {'ZREVRANGE', key, 0, -1}, {'ZRANGEBYSCORE', key, '-inf', '+inf'},
  {'ZREVRANGEBYLEX', key, '+', '-'}, {'ZREM', key, 'a'}, {'DEL', key},
}
local refused = {}
for _, command in ipairs(commands) do
  local answer = redis.pcall(unpack(command))
  if type(answer) == 'table' and answer.err then refused[#refused + 1] = command[1] end
end
return refused
