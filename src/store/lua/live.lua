-- The settings that hold now: what an event brings while it runs, else what operators set, else the configuration. Of the first two the
-- later one counts.
-- Gives `mode`, `automatic`, `quantity`; `message` and `cap`, false where the configuration's stands; `set`, what operators set of each;
-- `shares`, the key of the limits that this room shares with another one, `limits_list`, the events that an operator set in that
-- room, and when, `limits_at`; `events`, as the argument of that name; `held`, which event
-- brings a setting, by its name; `version`, which counts the changes; `NAMES`, `times`, `set_at`, `take_limits`, `of_event`, `follow`, `stock`, `stock_of`, `running`, `sell`, `budget`,
-- `lifetime`.

local call, record = require('call'), require('record')
local arg, stored = call.arg, record.stored

local live = {
  -- A message can be set to nothing, which differs from not being set. The cap is `total minutes seconds renewal`.
  set = {
    mode = stored.mode, automatic = tonumber(stored.live_automatic), quantity = tonumber(stored.live_quantity), message = stored.message,
    cap = stored.live_cap,
  },
  -- `none` for no event.
  events = stored.live_events or false,
  version = tonumber(stored.version) or 0,
  shares = arg.shares and call.key.limits or nil,
}
-- When operators set each, or the origin reported it, in milliseconds, 0 for never. Of two copies the later one counts, setting by
-- setting, whatever lines they are of.
live.NAMES = { 'mode', 'pace', 'message', 'cap', 'event', 'stock' }
function live.times(mode, pace, message, cap, event, stock)
  return {
    mode = tonumber(mode) or 0, pace = tonumber(pace) or 0, message = tonumber(message) or 0, cap = tonumber(cap) or 0,
    event = tonumber(event) or 0, stock = tonumber(stock) or 0,
  }
end
-- Takes the events of the room whose limits they are, as `AT LIST`, where these are later ones; whether they are.
live.limits_at, live.limits_list = 0, nil
function live.take_limits(text)
  local at, list = string.match(text or '', '^(%d+) (.*)$')
  local is_later = at and tonumber(at) > live.limits_at
  if is_later then
    live.limits_at, live.limits_list = tonumber(at), list ~= '-' and list or nil
  end
  return is_later
end
live.take_limits(stored.limits_event)
live.set_at = live.times(stored.mode_at, stored.pace_at, stored.message_at, stored.cap_at, stored.event_at, stored.stock_at)

-- How many visitors may still be called by the stock that was reported; it bounds pace, permits, credit and an open room alike. One that
-- was reported while an event ran counts while that runs: `stock_of` is `ID:OPENS` of that event, false for none.
live.stock_of = stored.stock_of or false
function live.stock()
  local counts = record.state.stock >= 0 and (not live.stock_of or live.running == live.stock_of)
  return counts and record.state.stock or math.huge
end
-- That many were called, now or as a copy or a ticket shows: what is left is never more than was reported less those called since.
function live.sell(many)
  if record.state.stock > 0 then
    record.state.stock = math.max(record.state.stock - many, 0)
  end
end

-- What an event brings of a setting since the time `from`, unless an operator has set it later.
function live.of_event(name, by)
  local is_set = live.set[name] or name == 'pace' and live.set.automatic
  return by and (not is_set or live.set_at[name] < by.from) and by[name] or nil
end
-- `with`: what the event `by` brings since the time `from`, by the name of each setting; where an operator then gives back what was set,
-- it is brought again. `mode`: the one that an event set at its end. Both are nothing where there is no such event. `running`: `ID:OPENS` of
-- the one that runs. `limits`: the same as `with`, of the room whose pace and cap these are.
function live.follow(with, mode, running, limits)
  local set = live.set
  live.held, live.running = {}, running
  if live.stock_of and live.stock() < math.huge then
    live.held.stock = with
  end
  local function brought(name, by)
    local value = live.of_event(name, by)
    live.held[name] = value and by
    return value
  end
  local automatic, quantity = string.match(brought('pace', limits) or '', '^(%d+),(%d+)$')
  live.automatic = tonumber(automatic or set.automatic or arg.automatic)
  live.quantity = tonumber(quantity or set.quantity or arg.quantity)
  live.mode = brought('mode', mode) or set.mode or 'automatic'
  live.message = brought('message', with) or set.message or false
  live.cap = brought('cap', limits) or set.cap or false
end
-- How many visitors one period admits.
function live.budget()
  return live.automatic > 0 and live.quantity or 0
end
-- For how many seconds the line is kept. What an operator set or the origin reported outlives a quiet month.
function live.lifetime()
  return math.max(tonumber(arg.lifetime), (live.version > 0 or live.set_at.stock > 0) and call.TTL.live or 0)
end

return live
