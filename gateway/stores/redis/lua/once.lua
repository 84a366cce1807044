if answered then
  redis.call('PEXPIRE', asked, ANSWER_KEPT) -- a write, for a replica confirms the writes of its connection only
  return answered
end
