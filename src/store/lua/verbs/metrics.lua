-- metrics: counts what the POP brings and tells all sums; the line is read and does not move.
-- Keys: `line`, `outbox`, `counts`, `inside0` and `inside1` with a cap, which are written; `journal`, `hour`.
-- Arguments: `number1`, `counts1` and so on: what was counted. Answer: that of `status`, and `counts`.

local figures, counts, key = require('figures'), require('counts'), require('call').key

return function()
  counts.take()
  local sums = redis.pcall('HGETALL', key.counts)
  return figures('counts', sums.err and {} or sums)
end
