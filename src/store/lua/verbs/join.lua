-- join: releases what is due to waiting visitors, draws, and releases again into what is left of the budget.
-- Keys: `draw` (what the ticket was given), `claim`, `inside0` and `inside1` with a cap, `network` with a bound, `invite` with an
-- invitation; all of them are read and written. As every verb that may move the line it writes `line`, `hour` and `journal`.
-- Arguments: `lane`, the name of the lane of a number that was lost, or of the visitor's region; `mark` and `network`, of the ticket and
-- the visitor; `bound` and `effort`; `invite`.
-- Answer: `number`, 0 for none; `claim`, the last minute of a session; `above` and `price`, of a network above its bound; `invited`;
-- `lane`.

local arg = require('call').arg
local open_period, draw = require('pace').open_period, require('draw')
local save, answered = require('save'), require('answer').visitor

return function()
  open_period()
  local visit = draw.visit(arg.lane)
  local place, last = draw.arrive(visit)
  save()
  return answered(visit, place, last)
end
