-- What operators had set before a loss of the data, and what follows from a setting.
-- Gives `take`, `follow_cap`.

local record, live = require('record'), require('live')
local texts = record.texts

-- Another cap may hold than before.
local function follow_cap()
  if require('cap').read() then
    require('sessions').begin()
  end
end
-- It comes back too, unless an operator has set it later. `copied`: the settings as a copy of the board has them; `names`, those that it
-- has, where these are not all.
local function take(copied)
  local set, pace = live.set, copied.paced and copied.pace or {}
  local same = {
    mode = copied.mode == (set.mode or 'automatic'), pace = pace.automatic == set.automatic and pace.quantity == set.quantity,
    message = copied.message == set.message, cap = copied.cap == set.cap, event = (copied.events or false) == live.events,
    -- It is no setting that an operator saw, and copy.lua has taken it.
    stock = true,
  }
  local newer, took, kept = {}, false, false
  for _, name in ipairs(copied.names or live.NAMES) do
    -- What was set of other limits than those that this room has now says nothing of these.
    local is_limit = name == 'pace' or name == 'cap'
    newer[name] = copied.set_at[name] > live.set_at[name] and (not is_limit or copied.shares == live.shares)
    took = took or newer[name] and not same[name]
    kept = kept or copied.set_at[name] < live.set_at[name] and not same[name]
  end
  if live.shares and copied.shares == live.shares and live.take_limits(copied.limits_event) then
    texts.limits_event, took = copied.limits_event, true
  end
  if newer.mode then
    set.mode, texts.mode = copied.mode, copied.mode
  end
  if newer.pace then
    set.automatic, set.quantity = pace.automatic, pace.quantity
    texts.live_automatic, texts.live_quantity = pace.automatic or false, pace.quantity or false
  end
  if newer.message then
    set.message, texts.message = copied.message, copied.message or false
  end
  if newer.cap then
    set.cap, texts.live_cap = copied.cap, copied.cap or false
  end
  if newer.event then
    live.events = copied.events or false
    texts.live_events = live.events
  end
  for name, is_newer in pairs(newer) do
    if is_newer then
      live.set_at[name] = copied.set_at[name]
      texts[name .. '_at'], texts[name .. '_by'] = copied.set_at[name], false
    end
  end
  if took then
    require('events').read()
    follow_cap()
  end
  -- What is now set is another state than either of the two showed, unless one of them knew all of it.
  local version = math.max(live.version, copied.version + (kept and 1 or 0), took and live.version + 1 or 0)
  if version > live.version then
    live.version, texts.version = version, version
  end
end

return { take = take, follow_cap = follow_cap }
