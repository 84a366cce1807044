-- Some of what belongs to no lane. Takes: which (known, closed, dead, unrun or facts), where to go on, 0 to begin. Gives
-- where to go on, 0 at the end, and the rows: key and time; id, number and time; number, row, time and the list of its
-- parts; number, row and time; key, value and until when or ''. One may come twice.
local SEEN = 200 -- in one call, about
local which, cursor = take(), take()
local rows = {}

local function add(...)
  for n = 1, select('#', ...) do rows[#rows + 1] = select(n, ...) end
end

local give = {
  known = function(key, at) add(key, at) end,
  closed = function(id, at)
    local number = redis.call('HGET', P .. 'out:ids', id)
    if number and redis.call('HEXISTS', P .. 'out:dead', number) == 0 then add(id, number, at) end
  end,
  dead = function(number, row)
    local _, at = cut(row, 1)
    _, at = cut(row, at)
    local closed = redis.call('ZSCORE', P .. 'out:closed', (cut(row, at)))
    add(number, row, closed or exact(now), redis.call('LRANGE', P .. 'out:parts:' .. number, 0, -1))
  end,
  unrun = function(number, row) add(number, row, redis.call('ZSCORE', P .. 'in:closed', number) or exact(now)) end,
  facts = function(key, value)
    local till = redis.call('ZSCORE', P .. 'facts:until', key)
    if not till or tonumber(till) > now then add(key, value, till or '') end
  end,
}
local walk = {
  known = {'ZSCAN', 'known'}, closed = {'ZSCAN', 'out:closed'}, dead = {'HSCAN', 'out:dead'},
  unrun = {'HSCAN', 'in:unrun'}, facts = {'HSCAN', 'facts'},
}
local found = redis.call(walk[which][1], P .. walk[which][2], cursor, 'COUNT', SEEN)
for n = 1, #found[2], 2 do give[which](found[2][n], found[2][n + 1]) end
return {found[1], rows}
