-- Which mode the room is in now.
-- Gives `now`, `is_held`, `lets_in`.

local call, state, events, health = require('call'), require('record').state, require('events'), require('health')

-- A room whose origin is sick is on hold by itself, unless an operator has overruled that.
local function is_held()
  return health.setting == 'on' and health.is_sick() and call.now >= state.overruled and events.mode() == 'automatic'
end
local function now()
  return is_held() and 'hold' or events.mode()
end
-- Whether called visitors can go in.
local function lets_in()
  local mode = now()
  return mode == 'automatic' or mode == 'open'
end

return { now = now, is_held = is_held, lets_in = lets_in }
