-- status: counts what the POP brings, as `metrics` does; the line is read and does not move.
-- Keys: those of `metrics`, `minutes`, `hours`, `counted`. Arguments: those of `metrics`; `minutes` and `hours`, how many samples are told at
-- most. Answer: as figures.lua has it, and what happened, as history.lua tells it.

local figures, history, counts = require('figures'), require('history'), require('counts')

return function()
  counts.take()
  return figures(history.told())
end
