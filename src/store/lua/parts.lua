-- The pace that several rooms have together: what of its period is left for all of them. Each room opens its own periods, and what is left
-- for it here is one bound more.
-- A period is divided into equal parts among the rooms in which visitors wait; of what one does not need the others have more. A part is
-- kept for its room, which may come only later in the period, and then it is for any of them.
-- Invariant: all rooms together release no more by pace than the pace has.
-- Gives `follow`, `open`, `most`, `take`, `write`.

local call, record, live, joint = require('call'), require('record'), require('live'), require('joint')
local mode, lanes, bound, cap = require('mode'), require('lanes'), require('bound'), require('cap')
local arg, key, now, own, texts = call.arg, call.key.limits, call.now, joint.own, joint.texts

local period, left, is_divided = tonumber(texts.period) or -1, tonumber(texts.left) or 0, false
-- Of a pace that was lowered no more is left than it has.
local function judge()
  if tonumber(texts.budget) ~= live.budget() then
    left = math.min(left, live.budget())
  end
end

-- What an operator set: when, in milliseconds, 0 for never, and the value, nothing where it was given back.
local function set_of_all(name)
  local at, value = string.match(texts[name] or '', '^(%d+) (.*)$')
  return tonumber(at) or 0, value ~= '-' and value or nil
end
-- What an operator sets in the room whose limits they are holds for the others too, and each room remembers it: of all that is known the
-- latest counts. The events of that room the others know by their times, also where no visitor comes to it meanwhile, and remember beside
-- their own.
local function follow()
  local pace_at, pace = set_of_all('pace')
  local cap_at, set_cap = set_of_all('cap')
  local event_at, list = set_of_all('event')
  local automatic, quantity = string.match(pace or '', '^(%d+),(%d+)$')
  require('settings').take({
    names = live.shares and { 'pace', 'cap' } or { 'pace', 'cap', 'event' }, set_at = live.times(0, pace_at, 0, cap_at, event_at), version = 0,
    shares = live.shares, limits_event = live.shares and texts.event, events = list,
    paced = pace ~= nil, pace = { automatic = tonumber(automatic), quantity = tonumber(quantity) }, cap = set_cap,
  })
end

-- How many visitors of this room could be released by pace now, and how many would take a slot: called ones who come late, too.
local function see_own()
  local is_moving = mode.now() == 'automatic' and now >= record.state.quiet
  local waiting = is_moving and math.min(lanes.waiting(), live.stock()) or 0
  own.line, own.waits = waiting + (is_moving and cap.is_capped and record.state.late or 0), math.min(waiting, bound.most())
  if mode.lets_in() and (arg.verb == 'join' or arg.verb == 'look') then
    own.seen = now
  end
end
-- Of what cannot be divided each room has one that has waited longest for a release. What was missed is for visitors who waited through
-- it: of what is no room's part one period's is left.
local function divide()
  local free, open = left, {}
  is_divided = true
  for _, of in pairs(joint.rooms) do
    of.part = 0
    if of.waits > 0 and joint.is_there(of) then
      table.insert(open, of)
    end
  end
  table.sort(open, function(a, b)
    return a.last < b.last or a.last == b.last and a.name < b.name
  end)
  while open[1] and free > 0 do
    local each, still = math.max(math.floor(free / #open), 1), {}
    for _, of in ipairs(open) do
      local more = math.min(each, of.waits - of.part, free)
      of.part, free = of.part + more, free - more
      if of.part < of.waits then
        table.insert(still, of)
      end
    end
    open = still
  end
  left = left - math.max(free - live.budget(), 0)
end
-- The first room that opens a period opens it for all. One that no room saw counts as it would for this room alone.
local function open(at, many)
  -- A clock that was set back: the room itself has waited for less than a period.
  if period - now / 1000 > math.min(live.automatic, 60) then
    period = at - live.automatic
  end
  if at <= period then
    return
  end
  left = (period + live.automatic < at and many or 1) * live.budget()
  period = at
  see_own()
  divide()
end
-- How many this room may release now.
local function most()
  judge()
  local is_kept, kept = now < (period + math.min(live.automatic * 2 / 3, joint.PATIENCE)) * 1000, 0
  for _, of in pairs(joint.rooms) do
    kept = kept + (is_kept and of ~= own and of.part or 0)
  end
  return math.max(left - kept, 0)
end
local function take(many)
  left, own.part = left - many, math.max(own.part - many, 0)
  own.last = many > 0 and now or own.last
end

local function keep(name, at, value)
  if at > set_of_all(name) then
    redis.pcall('HSET', key, name, string.format('%d %s', at, value or '-'))
  end
end
-- What this room does not need of its part is free for the others at once.
local function write()
  see_own()
  local state = record.state
  local is_open = state.period >= period
  own.part, own.recount = math.min(own.part, own.waits, is_open and math.max(state.left, 0) or math.huge), state.recount
  own.ring, own.promised = '', 0
  if cap.is_capped then
    own.ring, own.promised = require('sessions').told()
  end
  judge()
  redis.pcall('HSET', key, 'period', period, 'left', left, 'budget', live.budget())
  for _, of in pairs(joint.rooms) do
    if of == own or is_divided then
      joint.write(of)
    end
  end
  local set = live.set
  keep('pace', live.set_at.pace, set.automatic and string.format('%d,%d', set.automatic, set.quantity))
  keep('cap', live.set_at.cap, set.cap)
  if live.shares then
    keep('event', live.limits_at, live.limits_list)
  else
    keep('event', live.set_at.event, live.events)
  end
  redis.pcall('EXPIRE', key, texts.event and call.TTL.live or live.lifetime())
end

return { follow = follow, open = open, most = most, take = take, write = write }
