-- uses: write lanes
-- Free what a gateway that goes had leased, and miss it no more. Takes: how many; of each queue, lane, token.
for _ = 1, take_number() do
  local q, lane, token = take(), take(), take()
  if held(q, lane, token) then put_off(q, lane, 0) end
end
redis.call('ZREM', P .. 'gateways', ARGV[3])
return done('ok')
