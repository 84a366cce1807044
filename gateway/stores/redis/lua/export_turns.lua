-- uses: lanes letters records
-- Records of a lane by their place in time, with their letters that are dead and those that are owed. Takes: lane, the
-- first place, the last.
local lane, first, last = take(), take_number(), take_number()
return {records(redis.call('ZRANGE', P .. 'turns:lane:' .. lane, first, last))}
