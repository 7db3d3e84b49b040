-- The pace that several rooms have together: what of its period is left for all of them, under a key of their own. Each room keeps its
-- own line and opens its own periods, and what is left for it here is one bound more.
-- A period is divided into equal parts among the rooms in which visitors wait; of what one does not need the others have more. A part is
-- kept for its room, which may come only later in the period, and then it is for any of them.
-- `ROOM`: the part that is kept for it, how many visitors it could release, and when a verb of it and a release of it by pace were last.
-- Invariant: all rooms together release no more by pace than the pace has.
-- Gives `follow`, `open`, `most`, `take`, `write`.

local call, record, live = require('call'), require('record'), require('live')
local mode, lanes, bound = require('mode'), require('lanes'), require('bound')
local arg, key, now = call.arg, call.key.pace, call.now

-- Seconds. A waiting page asks more often, so a room without a verb for longer has no visitor who would go in.
local PATIENCE = 40

local period, left, rooms, set, brought, is_divided = -1, 0, {}, nil, nil, false
local function read(name, value)
  local room = string.match(name, '^room (%S+)$')
  if room then
    local part, waits, seen, last = string.match(value, '^(%d+) (%d+) (%d+) (%d+)$')
    rooms[room] = { name = room, part = tonumber(part), waits = tonumber(waits), seen = tonumber(seen), last = tonumber(last) }
  elseif name == 'period' then
    period = tonumber(value)
  elseif name == 'left' then
    left = tonumber(value)
  elseif name == 'set' then
    set = value
  elseif name == 'brought' then
    brought = value
  end
end
-- A key that is no longer of its type begins anew, and the line goes on.
local words = redis.pcall('HGETALL', key)
if words.err then
  redis.call('DEL', key)
end
for i = 1, #words, 2 do
  read(words[i], words[i + 1])
end
local own = rooms[arg.room] or { name = arg.room, part = 0, waits = 0, seen = 0, last = 0 }
rooms[arg.room] = own

-- What an operator sets in the room whose pace it is, or an event brings there, holds for the others too, and nothing else does. An event
-- they know by its times, also where no visitor comes to that room meanwhile.
local function follow()
  if arg.shares then
    local from, to, by_event = string.match(brought or '', '^(%d+) (%d+) (.*)$')
    local runs = from and now >= tonumber(from) and (to == '0' or now < tonumber(to))
    local automatic, quantity = string.match(runs and by_event or set or '', '^(%d+)[ ,](%d+)$')
    live.shared = { automatic = automatic or arg.automatic, quantity = quantity or arg.quantity }
    require('events').read()
  end
end

-- How many visitors of this room could be released by pace now.
local function see_own()
  local is_paced = mode.now() == 'automatic' and now >= record.state.quiet
  own.waits, own.seen = is_paced and math.min(lanes.waiting(), bound.most()) or 0, now
end
-- Of what cannot be divided each room has one that has waited longest for a release.
local function divide()
  local free, open = left, {}
  is_divided = true
  for _, of in pairs(rooms) do
    of.part = 0
    if of.waits > 0 and now - of.seen <= PATIENCE * 1000 then
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
  local is_kept, kept = now < (period + math.min(live.automatic * 2 / 3, PATIENCE)) * 1000, 0
  for _, of in pairs(rooms) do
    kept = kept + (is_kept and of ~= own and of.part or 0)
  end
  return math.max(left - kept, 0)
end
local function take(many)
  left, own.part = left - many, math.max(own.part - many, 0)
  own.last = many > 0 and now or own.last
end

local function keep(name, before, value)
  if value then
    redis.pcall('HSET', key, name, value)
  elseif before then
    redis.pcall('HDEL', key, name)
  end
end
-- The pace of the event whose time it is or that comes next: `SINCE UNTIL SECONDS,VISITORS`, 0 for no end.
local function brought_pace()
  local event = require('events').current
  local pace = event and live.of_event('pace', event.with)
  return pace and string.format('%d %d %s', event.with.from, event.closes, pace)
end

-- What this room does not need of its part is free for the others at once.
local function write()
  see_own()
  own.part = math.min(own.part, own.waits)
  redis.pcall('HSET', key, 'period', period, 'left', left)
  for name, of in pairs(rooms) do
    if of == own or is_divided then
      redis.pcall('HSET', key, 'room ' .. name, string.format('%d %d %d %d', of.part, of.waits, of.seen, of.last))
    end
  end
  if not arg.shares then
    keep('set', set, live.set.automatic and string.format('%d %d', live.set.automatic, live.set.quantity))
    keep('brought', brought, brought_pace())
  end
  redis.pcall('EXPIRE', key, live.lifetime())
end

return { follow = follow, open = open, most = most, take = take, write = write }
