-- The event whose time it is, and its phase by the store's clock.
-- The edge reads the phase from a copy of the board, and computes it (`queue/event.rs`) only where it has none.
-- Gives `current`, the event, and its `phase`, nil without one; `begun`, the event that this line has begun (see lot.lua); `read`,
-- `mode`, `is_redrawn`.

local call, live = require('call'), require('live')
local now = call.now

local events = {}
-- What an operator set, else what the settings say: `id:prequeue:opens:closes:order` of each event in the order of their times,
-- 0 for one without an end. The order is `arrival`, `drawn`, or `drawn~SOURCE` where a public value from there decides it. Behind it and
-- one more colon stands the mode outside of the event's time, where the room is not closed then, and `nobody` where it admits nobody.
function events.read()
  local current, phase, is_running
  for id, prequeue, opens, closes, order, more in
    string.gmatch(live.events or call.arg.events or '', '(%S-):(%d+):(%d+):(%d+):([^%s:]+)(%S*)') do
    if not is_running then
      current = {
        id = id, prequeue = tonumber(prequeue), opens = tonumber(opens), closes = tonumber(closes), order = order,
        more = more, outside = string.match(more, '^:(%l+)'),
      }
      is_running = current.closes == 0 or now < current.closes
      phase = not is_running and (current.outside and 'outside' or 'over')
        or now >= current.opens and (string.match(more, ':nobody$') and 'maintenance' or 'open')
        or now >= current.prequeue and 'prequeue' or current.outside and 'outside' or 'before'
    end
  end
  events.current, events.phase = current, phase
end
events.read()

-- The mode in this phase. After the beginning an operator who opens or closes the room means it.
function events.mode()
  local phase = events.phase
  if phase == 'before' then
    return 'closed'
  elseif phase == 'outside' then
    return live.mode == 'automatic' and events.current.outside or live.mode
  elseif live.mode == 'open' or live.mode == 'closed' or not events.current or phase == 'open' then
    return live.mode
  elseif phase == 'prequeue' or phase == 'drawing' or phase == 'maintenance' then
    return 'hold'
  end
  return 'closed'
end

-- Whether a lot gave another place to the visitor who drew this one.
function events.is_redrawn(place)
  local of = events.begun and events.begun.secret and events.begun.of[place.of.name]
  return of and place.number > of.base and place.number <= of.base + of.drawn
end

return events
