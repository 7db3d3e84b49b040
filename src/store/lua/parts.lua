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

-- What an operator sets in the room whose limits they are, or an event brings there, holds for the others too, and nothing else does. An
-- event they know by its times, also where no visitor comes to that room meanwhile.
local function of_all(name)
  local from, to, by_event = string.match(texts['brought ' .. name] or '', '^(%d+) (%d+) (.*)$')
  local runs = from and now >= tonumber(from) and (to == '0' or now < tonumber(to))
  return runs and by_event or texts['set ' .. name]
end
local function follow()
  if arg.shares then
    local automatic, quantity = string.match(of_all('pace') or '', '^(%d+),(%d+)$')
    live.shared = { automatic = automatic or arg.automatic, quantity = quantity or arg.quantity, cap = of_all('cap') or false }
    require('events').read()
    cap.read()
  end
end

-- How many visitors of this room could be released now: by its mode, and by pace.
local function see_own()
  local is_moving = mode.now() == 'automatic' and now >= record.state.quiet
  own.line, own.seen = is_moving and lanes.waiting() or 0, now
  own.waits = math.min(own.line, bound.most())
end
-- Of what cannot be divided each room has one that has waited longest for a release.
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
end
-- The first room that opens a period opens it for all. One that no room saw counts as it would for this room alone.
local function open(at, many)
  if period - now / 1000 > math.min(live.automatic, 60) then
    period = at
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

local function keep(name, value)
  if value then
    redis.pcall('HSET', key, name, value)
  elseif texts[name] then
    redis.pcall('HDEL', key, name)
  end
end
-- What the event whose time it is or that comes next brings of a setting: `SINCE UNTIL VALUE`, 0 for no end.
local function brought(name)
  local event = require('events').current
  local value = event and live.of_event(name, event.with)
  return value and string.format('%d %d %s', event.with.from, event.closes, value)
end

-- What this room does not need of its part is free for the others at once.
local function write()
  see_own()
  own.part, own.recount = math.min(own.part, own.waits), record.state.recount
  own.ring, own.promised = '', 0
  if cap.is_capped then
    own.ring, own.promised = require('sessions').told()
  end
  redis.pcall('HSET', key, 'period', period, 'left', left)
  for _, of in pairs(joint.rooms) do
    if of == own or is_divided then
      joint.write(of)
    end
  end
  if not arg.shares then
    local set = live.set
    keep('set pace', set.automatic and string.format('%d,%d', set.automatic, set.quantity))
    keep('set cap', set.cap)
    keep('brought pace', brought('pace'))
    keep('brought cap', brought('cap'))
  end
  redis.pcall('EXPIRE', key, live.lifetime())
end

return { follow = follow, open = open, most = most, take = take, write = write }
