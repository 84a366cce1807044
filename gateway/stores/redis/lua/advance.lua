-- uses: write once lanes letters
-- Write the state of parts. Takes: lane, token, part changes.
local number = held('out', take(), take())
if not number then return 'lost' end
local missing = take_changes(number)
if missing then return 'part ' .. missing end
return done('ok')
