-- uses: write
-- Remove lines of history from before a time, in some of the lanes. Takes: the time, how many at most, where to go on.
-- Gives where to go on, 0 at the end, and how many. It does no harm twice.
local LANES = 100 -- looked at in one call, about
local before, left, cursor = tonumber(take()), take_number(), take()
local gone = 0

-- The time is the fourth field of a line, after turn, role and text.
local function said(line)
  local at, time = 1, nil
  for _ = 1, 4 do time, at = cut(line, at) end
  return tonumber(time)
end

local function fade(key)
  while gone < left do
    local line = redis.call('LINDEX', key, 0)
    if not line or said(line) >= before then return end
    redis.call('LPOP', key)
    gone = gone + 1
  end
end

local found = redis.call('SCAN', cursor, 'MATCH', P .. 'lines:*', 'COUNT', LANES)
for _, key in ipairs(found[2]) do fade(key) end
if gone == left then return {cursor, gone} end
return {found[1], gone}
