-- uses: write once lanes turns
-- End waiting entries with the records that say why. Takes: lane, how many; of each entry, record. Gives the entries.
local lane = take()
local busy, head = leased('in', lane), redis.call('HGET', P .. 'in:lane:' .. lane, 'h')
local ended, headless = {}, false
for _ = 1, take_number() do
  local number, row = take(), take()
  if number ~= busy and close('in', lane, number) then
    write_turn(row)
    ended[#ended + 1] = number
    headless = headless or number == head
  end
end
if headless then move('in', lane) end
return done(table.concat(ended, ','))
