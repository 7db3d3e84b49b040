-- metrics: count what the POP brings and tell all sums; the line is read and does not move.
verbs.metrics = function()
  count()
  local sums = redis.pcall('HGETALL', key.counts)
  return answer(0, 'counts', sums.err and {} or sums)
end

return verbs[arg.verb]()
