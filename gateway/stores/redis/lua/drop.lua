-- uses: write once lanes letters
-- Forget a dead letter but for its id. Takes: id. Gives whether it was dead.
local number, row = dead(take())
if not row then return done('0') end
forget_dead(number, row)
return done('1')
