-- A client repeats a call whose answer it did not get, and a lost packet may come late: what a call has done is
-- kept for a while under its id, and done once. Longer than a client tries, and than a network holds on to it.
local ANSWER_KEPT = '120000' -- milliseconds
local asked = P .. 'asked:' .. ARGV[2]
local answered, halfway = unpack(redis.call('MGET', asked, P .. 'restoring'))
if not answered and (halfway or restorer) and halfway ~= restorer then
  return redis.error_reply('RESTORING the store is being restored, or was restored in part')
end

local function done(answer)
  redis.call('SET', asked, answer, 'PX', ANSWER_KEPT)
  if woke then redis.pcall('PUBLISH', P .. 'wake', ARGV[3]) end -- a hint; some may not publish
  return answer
end
