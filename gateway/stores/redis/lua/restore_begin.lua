-- Take the store for a restore, which shuts everybody else out until it has ended. Takes: the restore's token, whether
-- what is there may go, how the names of leases begin that gateways hold while they work. Gives 'ok', 'full', or who
-- holds it behind 'held '. It does no harm twice.
local token, may_go, begins = take(), take() == '1', take()

local function holder()
  for _, name in ipairs(redis.call('HKEYS', P .. 'leases')) do
    local row = redis.call('HGET', P .. 'leases', name)
    local _, at = cut(row, 1)
    if string.sub(name, 1, #begins) == begins and tonumber((cut(row, at))) > now then return name end
  end
  return redis.call('ZRANGEBYSCORE', P .. 'gateways', '(' .. exact(now), '+inf', 'LIMIT', 0, 1)[1]
end

local who = holder()
if who then return 'held ' .. who end
local filled = redis.call('EXISTS', P .. 'number') + redis.call('EXISTS', P .. 'facts') > 0
if filled and not may_go and redis.call('EXISTS', P .. 'restoring') == 0 then return 'full' end
redis.call('SET', P .. 'restoring', token)
return 'ok'
