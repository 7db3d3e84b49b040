-- What operators had set before a loss of the data.
-- Gives `take`.

local call, record, live = require('call'), require('record'), require('live')
local arg, texts = call.arg, record.texts

-- It comes back too, unless an operator has set it later. `copied`: the settings as a copy of the board has them.
local function take(copied)
  local pace, paced = copied.pace, copied.paced and 1 or 0
  local same = {
    mode = copied.mode == live.mode,
    pace = paced == live.paced and (paced == 0 or pace.automatic == live.automatic and pace.quantity == live.quantity),
    message = (copied.message or false) == live.message,
    cap = (copied.cap or false) == live.cap,
    event = (copied.events or false) == live.events,
  }
  local newer, took, kept = {}, false, false
  for _, name in ipairs(live.NAMES) do
    newer[name] = copied.set_at[name] > live.set_at[name]
    took = took or newer[name] and not same[name]
    kept = kept or copied.set_at[name] < live.set_at[name] and not same[name]
  end
  if newer.mode then
    live.mode, texts.mode = copied.mode, copied.mode
  end
  if newer.pace then
    live.paced = paced
    live.automatic = tonumber(paced == 1 and pace.automatic or arg.automatic)
    live.quantity = tonumber(paced == 1 and pace.quantity or arg.quantity)
    texts.live_automatic = live.paced == 1 and live.automatic
    texts.live_quantity = live.paced == 1 and live.quantity
  end
  if newer.message then
    live.message = copied.message or false
    texts.message = live.message
  end
  if newer.cap then
    live.cap = copied.cap or false
    texts.live_cap = live.cap
    local cap = require('cap')
    if cap.read() then
      require('sessions').begin()
    end
  end
  if newer.event then
    live.events = copied.events or false
    texts.live_events = live.events
    require('events').read()
  end
  for name, is_newer in pairs(newer) do
    if is_newer then
      live.set_at[name] = copied.set_at[name]
      texts[name .. '_at'], texts[name .. '_by'] = copied.set_at[name], false
    end
  end
  -- What is now set is another state than either of the two showed, unless one of them knew all of it.
  local version = math.max(live.version, copied.version + (kept and 1 or 0), took and live.version + 1 or 0)
  if version > live.version then
    live.version, texts.version = version, version
  end
end

return { take = take }
