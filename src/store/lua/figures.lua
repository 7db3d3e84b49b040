-- What is known of the line besides what every answer has.
-- A function of more names and values; returns the answer.

local call, record = require('call'), require('record')
local cap, bound, answer = require('cap'), require('bound'), require('answer').answer
local state, stored = record.state, record.stored

return function(...)
  local told = answer(0, ...)
  for _, more in ipairs({ { 'bound', bound.rule(), 'last_release', stored.release or '', 'recount', cap.is_enforced() and cap.is_recounting() and cap.recount() * 60000 or 0 },
    {
      'health', string.format('%d %d %d %d %d', state.sick_until, state.overruled, state.heard_ok, state.heard_late, state.heard_bad),
      'last_sickness', stored.sickness or '', 'window', require('window').written(),
    },
    { 'invited_in_all', state.invited, 'invited_now', state.invited_at == call.minute and state.invited_now or 0 }, { require('turnout').absence() } }) do
    for _, word in ipairs(more) do
      table.insert(told, word)
    end
  end
  return told
end
