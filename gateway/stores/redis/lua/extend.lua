-- uses: lanes
-- Renew leases. Takes: queue, lease in seconds, how many; of each lane, token. Gives the indexes of those lost.
local q, seconds = take(), take_number()
local lost = {}
for n = 1, take_number() do
  local lane, token = take(), take()
  if not renew(q, lane, token, now + seconds) then lost[#lost + 1] = n - 1 end
end
return lost
