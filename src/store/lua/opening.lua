-- How each call begins, whatever its verb: the line is read, what the call proves of it is taken, and what its time brings happens.
-- Reads `line`, and what the parts of it read; writes the state, which a verb saves or leaves.
-- A function without arguments; returns an error where another version of the service keeps this line, which is then left as it is.

local call, record = require('call'), require('record')
local live, events, lanes, cap = require('live'), require('events'), require('lanes'), require('cap')
local journal, rate = require('journal'), require('rate')
local arg, now = call.arg, call.now
local state, stored = record.state, record.stored

return function()
  if state.own > 0 and state.format ~= tonumber(arg.format) then
    return { err = string.format('FORMAT %d', state.format) }
  end
  require('health').take_marker()
  journal.open()
  if stored.event then
    require('lot')
  end
  if call.key.limits then
    require('parts').follow()
  end
  -- What a cap has left behind ends by itself.
  if (stored.ring or '') ~= '' or (stored.promises or '') ~= '' then
    require('sessions')
  end
  if cap.is_capped then
    require('sessions').begin()
  end
  if state.own == 0 then
    require('rolls').begin()
    state.format, state.began, state.anchor = tonumber(arg.format), now, now
  end
  local copy = arg.copy and require('copy').news()
  if copy then
    require('copy').take(copy)
  end
  journal.come_back(arg.copy and 'sign' or '-', copy and copy.head)
  if events.current or stored.brought or live.shares then
    require('steps').follow()
  end
  if events.phase == 'prequeue' or events.phase == 'open' then
    require('lot').follow_phase(arg.commitment)
  end
  if arg.turn_minutes then
    require('turns').begin()
  end
  rate.judge()
  lanes.remember()
end
