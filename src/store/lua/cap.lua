-- The cap on who is inside, where one holds. Who that is, is in sessions.lua.
-- Gives `is_capped`, `total`, `minutes`, `seconds`, `renewal`, as they were read last; `has_sessions`, that sessions.lua has
-- something to write; `read`, `is_enforced`, `recount`, until which minute it is not known who is inside, `is_recounting`,
-- `recounts_from_now`.

local call, record, live = require('call'), require('record'), require('live')
-- From here on it is known what an event brings.
require('events')
local arg, state = call.arg, record.state

local cap = {}
-- Whether a cap holds.
function cap.read()
  local total, minutes, seconds, renewal = string.match(live.cap or '', '^(%d+) (%d+) (%d+) (%a+)$')
  cap.total, cap.minutes = tonumber(total or arg.total_active) or 0, tonumber(minutes or arg.session_minutes)
  cap.seconds, cap.renewal = tonumber(seconds or arg.claim_seconds), renewal or arg.renewal
  cap.is_capped = cap.total > 0
  return cap.is_capped
end
cap.read()

-- The settings say whether it holds visitors back, whoever set it.
function cap.is_enforced()
  return cap.is_capped and arg.cap == 'on' and live.mode ~= 'open'
end
-- Who is inside is not known after a loss that no copy of the board came through, until all sessions of that time have ended.
function cap.recount()
  return math.max(state.recount, call.key.limits and require('joint').recount() or 0)
end
function cap.is_recounting()
  return call.minute < cap.recount()
end
-- That this verb has found it out, and until when, in milliseconds.
function cap.recounts_from_now()
  local is_new_end = state.recount ~= (record.were.recount or 0)
  return is_new_end and cap.is_enforced() and cap.is_recounting() and string.format('%d %d', call.now, state.recount * 60000) or nil
end

return cap
