-- What every script begins with. KEYS[1] is what every key starts with; it holds the one hash tag.
-- ARGV: the time of a test or '' for the server's own, the call's id, who asks; then what the script takes.
local P = KEYS[1]
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] + time[2] / 1e6
end

local place = 3
local function take()
  place = place + 1
  return ARGV[place]
end

local function take_number()
  return tonumber(take())
end

-- Numbers as text: a plain tostring() loses digits.
local function whole(number) return string.format('%.0f', number) end
local function exact(number) return string.format('%.17g', number) end

-- A row is its fields one after another, each as its length, a colon and its bytes.
local function packed(field) return #field .. ':' .. field end

local function cut(row, at)
  local colon = string.find(row, ':', at, true)
  local last = colon + tonumber(string.sub(row, at, colon - 1))
  return string.sub(row, colon + 1, last), last + 1
end

local function number_next() return whole(redis.call('INCR', P .. 'number')) end

local woke = false -- whether something became claimable
local restorer = nil -- the token of a restore that asks
