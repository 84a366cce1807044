-- uses: write once lanes letters
-- Free a lane for later. Takes: queue, lane, token, delay in seconds, part changes.
local q, lane, token, delay = take(), take(), take(), take_number()
local number = held(q, lane, token)
if not number then return 'lost' end
local missing = take_changes(number)
if missing then return 'part ' .. missing end
put_off(q, lane, delay)
return done('ok')
