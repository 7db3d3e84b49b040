-- What operators set, which takes precedence over the configuration.
-- Gives the settings that hold now, each with the time at which it was set, and with the version that counts their changes;
-- `NAMES`, `times`, `budget`, `lifetime`.

local call, record = require('call'), require('record')
local arg, stored = call.arg, record.stored

local live = {
  mode = stored.mode or 'automatic',
  automatic = tonumber(stored.live_automatic or arg.automatic),
  quantity = tonumber(stored.live_quantity or arg.quantity),
  -- A message can be set to nothing, which differs from not being set.
  message = stored.message or false,
  -- `total minutes seconds enforcement`.
  cap = stored.live_cap or false,
  -- As the argument `events`, or `none`.
  events = stored.live_events or false,
  version = tonumber(stored.version) or 0,
  -- Whether the pace is an operator's.
  paced = stored.live_automatic and 1 or 0,
}
-- When each was set, in milliseconds, 0 for none. Of two copies the later one counts, setting by setting, whatever lines they are of.
live.NAMES = { 'mode', 'pace', 'message', 'cap', 'event' }
function live.times(mode, pace, message, cap, event)
  return {
    mode = tonumber(mode) or 0, pace = tonumber(pace) or 0, message = tonumber(message) or 0, cap = tonumber(cap) or 0,
    event = tonumber(event) or 0,
  }
end
live.set_at = live.times(stored.mode_at, stored.pace_at, stored.message_at, stored.cap_at, stored.event_at)

-- How many visitors one period admits.
function live.budget()
  return live.automatic > 0 and live.quantity or 0
end
-- For how many seconds the line is kept. What an operator set outlives a quiet month.
function live.lifetime()
  return math.max(tonumber(arg.lifetime), live.version > 0 and call.TTL.live or 0)
end

return live
