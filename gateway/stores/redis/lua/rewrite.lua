-- uses: write once turns
-- Write records over those that are there. Takes: how many, of each id, row.
for _ = 1, take_number() do
  local id, row = take(), take()
  if redis.call('HEXISTS', P .. 'turns:ids', id) == 1 then write_turn(row) end
end
return done('ok')
