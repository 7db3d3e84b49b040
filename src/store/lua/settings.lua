-- What operators had set before a loss of the data.
-- Gives `take`.

local call, record, live = require('call'), require('record'), require('live')
local arg, texts = call.arg, record.texts

-- It comes back too, unless an operator has set it later.
local function take(sign)
  local same = {
    mode = sign.mode == live.mode,
    pace = sign.paced == live.paced
      and (live.paced == 0 or sign.automatic == live.automatic and sign.quantity == live.quantity),
    message = (sign.message or false) == live.message,
    cap = (sign.cap or false) == live.cap,
    event = (sign.events or false) == live.events,
  }
  local newer, took, kept = {}, false, false
  for _, name in ipairs(live.NAMES) do
    newer[name] = sign.set_at[name] > live.set_at[name]
    took = took or newer[name] and not same[name]
    kept = kept or sign.set_at[name] < live.set_at[name] and not same[name]
  end
  if newer.mode then
    live.mode, texts.mode = sign.mode, sign.mode
  end
  if newer.pace then
    live.paced = sign.paced
    live.automatic = tonumber(live.paced == 1 and sign.automatic or arg.automatic)
    live.quantity = tonumber(live.paced == 1 and sign.quantity or arg.quantity)
    texts.live_automatic = live.paced == 1 and live.automatic
    texts.live_quantity = live.paced == 1 and live.quantity
  end
  if newer.message then
    live.message = sign.message or false
    texts.message = live.message
  end
  if newer.cap then
    live.cap = sign.cap or false
    texts.live_cap = live.cap
    local cap = require('cap')
    if cap.read() then
      require('sessions').begin()
    end
  end
  if newer.event then
    live.events = sign.events or false
    texts.live_events = live.events
    require('events').read()
  end
  for name, is_newer in pairs(newer) do
    if is_newer then
      live.set_at[name] = sign.set_at[name]
      texts[name .. '_at'], texts[name .. '_by'] = sign.set_at[name], false
    end
  end
  -- What is now set is another state than either copy showed, unless one of them knew all of it.
  local version = math.max(live.version, sign.version + (kept and 1 or 0), took and live.version + 1 or 0)
  if version > live.version then
    live.version, texts.version = version, version
  end
end

return { take = take }
