-- status: reads, changes nothing.
-- Keys: `line`, `journal`, `minutes`, `hours`, `counted`. Arguments: `minutes` and `hours`, how many samples are told at most.
-- Answer: as figures.lua has it, and what happened, as history.lua tells it.

local figures, history = require('figures'), require('history')

return function()
  return figures(history.told())
end
