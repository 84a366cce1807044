-- uses: write once facts
-- Write a fact only if it is as expected. Takes: key, whether it should be there, as what; the fact.
local known, there, expected = fact(take()), take(), take()
if there == '1' then
  if known ~= expected then return '0' end
elseif known then
  return '0'
end
take_fact()
return done('1')
