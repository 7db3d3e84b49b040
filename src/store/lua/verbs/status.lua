-- status: reads, changes nothing.
-- Keys: `line`, `journal`, `hour`. No arguments. Answer: as figures.lua has it.

return require('figures')
