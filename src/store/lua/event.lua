-- The event whose time it is, and its phase by the store's clock.
-- The edge reads the phase from a copy of the sign, and computes it (`queue/event.rs`) only where it has none.

-- What an operator set, else what the settings say: `id:prequeue:opens:closes:order` of each event in the order of their times,
-- 0 for one without an end. The order is `arrival`, `drawn`, or `drawn~SOURCE` where a public value from there decides it.
local event, phase
local function read_events()
  event, phase = nil, nil
  for id, prequeue, opens, closes, order in string.gmatch(live.events or arg.events or '', '(%S+):(%d+):(%d+):(%d+):(%S+)') do
    if phase == nil or phase == 'over' then
      event = {
        id = id, prequeue = tonumber(prequeue), opens = tonumber(opens), closes = tonumber(closes), order = order,
      }
      phase = event.closes > 0 and now >= event.closes and 'over' or now >= event.opens and 'open'
        or now >= event.prequeue and 'prequeue' or 'before'
    end
  end
end
read_events()
-- The mode in this phase. After the beginning an operator who opens or closes the room means it.
local function scheduled_mode()
  if phase == 'before' then
    return 'closed'
  elseif live.mode == 'open' or live.mode == 'closed' or not event or phase == 'open' then
    return live.mode
  elseif phase == 'prequeue' or phase == 'drawing' then
    return 'hold'
  end
  return 'closed'
end

-- The event that this line has begun, where there is one: see lot.lua.
local begun
-- Whether a lot gave another number to the visitor who drew this one.
local function is_redrawn(number)
  return begun and begun.secret and number > begun.base and number <= begun.base + begun.drawn
end
