-- uses: write once lanes turns
-- Write a running turn's record. Takes: lane, token, the record.
if not held('in', take(), take()) then return 'lost' end
take_turn()
return done('ok')
