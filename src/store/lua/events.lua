-- The event whose time it is, and its phase by the store's clock.
-- The edge reads the phase from a copy of the board, and computes it (`queue/event.rs`) only where it has none.
-- Gives `current`, the event, and its `phase`, nil without one; `begun`, the
-- event that this line has begun (see lot.lua); `read`, `mode`, `is_redrawn`.

local call, live = require('call'), require('live')
local now = call.now

local events = {}
-- Words of an event besides its times: `:name=value` of each. Letters that would end one stand there as in a URL.
local function words_of(text)
  local words = {}
  for name, value in string.gmatch(text, ':(%l+)=([^:]*)') do
    words[name] = value
  end
  if words.message then
    words.message = string.gsub(string.gsub(words.message, '+', ' '), '%%(%x%x)', function(digits)
      return string.char(tonumber(digits, 16))
    end)
  end
  return words
end
-- What an operator set, else what the settings say: `id:prequeue:opens:closes:order` of each event in the order of their times, 0 for one
-- without an end. The order is `arrival`, `drawn`, or `drawn~SOURCE` where a public value from there decides it. Behind it stands what
-- the event has besides (`queue/event.rs`): the mode `outside` of its time where the room is not closed then, the mode `after` its end where
-- it sets one, that it `admits` nobody, that visits end with its start (`inside`), and the `pace`, `cap` and `message` that it brings.
local function of_list(list)
  local current, phase, is_running, ended, turned = nil, nil, false, nil, 0
  for id, prequeue, opens, closes, order, more in string.gmatch(list, '(%S-):(%d+):(%d+):(%d+):([^%s:]+)(%S*)') do
    if not is_running then
      local words = words_of(more)
      current = {
        id = id, prequeue = tonumber(prequeue), opens = tonumber(opens), closes = tonumber(closes), order = order, more = more,
        outside = words.outside, ends_visits = words.inside == 'ends',
      }
      current.with = {
        by = id, from = current.prequeue, to = current.closes, pace = words.pace, cap = words.cap and string.gsub(words.cap, ',', ' '),
        message = words.message,
      }
      for _, minute in ipairs({ math.floor(current.prequeue / 60000), math.ceil(current.closes / 60000) }) do
        turned = minute <= call.minute and math.max(minute, turned) or turned
      end
      is_running = current.closes == 0 or now < current.closes
      if not is_running then
        ended = words.after and { by = id, from = current.closes, to = 0, mode = words.after } or nil
      end
      local is_beside = current.outside or not is_running and words.after
      phase = not is_running and (is_beside and 'outside' or 'over')
        or now >= current.opens and (words.admits == 'none' and 'maintenance' or 'open')
        or now >= current.prequeue and 'prequeue' or is_beside and 'outside' or 'before'
    end
  end
  return current, phase, is_running and now >= current.prequeue, ended, turned
end
function events.read()
  local runs, ended
  events.current, events.phase, runs, ended, events.turned = of_list(live.events or call.arg.events or '')
  local current = events.current
  local with = runs and current.with or nil
  local limits = with
  if live.shares then
    local of_other, _, other_runs = of_list(live.limits_list or call.arg.limits_events or '')
    limits = other_runs and of_other.with or nil
  end
  live.follow(with, not runs and ended or nil, runs and string.format('%s:%d', current.id, current.opens) or nil, limits)
end
events.read()

-- The mode in this phase. After the beginning an operator who opens or closes the room means it.
function events.mode()
  local phase = events.phase
  if phase == 'before' then
    return 'closed'
  elseif phase == 'outside' then
    return live.mode == 'automatic' and not live.held.mode and events.current.outside or live.mode
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
