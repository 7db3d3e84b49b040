-- Data that the store lost, or that went back to an older state: they begin a roll, and what older ones knew may still come.
-- A function that returns nothing. `roll`: an unknown one behind which they begin theirs, if there is one.

local call, state, rolls, sessions = require('call'), require('record').state, require('rolls'), require('sessions')

return function(roll)
  rolls.begin(roll)
  state.began, state.sealed, state.merged, state.lent, state.set_credit = call.now, 0, 0, state.credit, 0
  state.quiet, state.lent_own, state.lent_line = call.now + rolls.QUIET, 0, 0
  sessions.begin_ring()
end
