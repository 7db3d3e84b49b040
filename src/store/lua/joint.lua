-- What the rooms that have their pace and their cap together know of each other, under a key of their own.
-- Each room keeps its own line and knows its own sessions; here is what bounds it besides. Slots have no period: a room in which visitors
-- wait, and that has less than its equal part of all slots, comes first.
-- `room NAME`: the part of the pace's period that is kept for it, how many visitors it could release, when a visitor last asked who could go
-- in, and when a release of it by pace was last, how many visitors there would take a slot, its promised slots, and until which minute it is unknown who is inside. `ring NAME`: its
-- sessions, see sessions.lua. `period`, `left`, `budget`, and what operators set for all rooms: see parts.lua.
-- Invariant: no claim lifts all that are inside above the cap.
-- Gives `rooms` by name, and `own`; `texts`, what is kept beside them, which are only read; `is_there`, `taken`, `slots`, `recount`, `write`.

local call = require('call')
local key, now = call.key.limits, call.now

-- Seconds. A waiting page asks more often, so a room without a verb for longer has no visitor who would go in.
local PATIENCE = 40
local FIGURES = { 'part', 'waits', 'seen', 'last', 'line', 'promised', 'recount' }

local rooms, texts = {}, {}
local function of_room(name)
  if not rooms[name] then
    rooms[name] = { name = name, ring = '', inside = 0 }
    for _, figure in ipairs(FIGURES) do
      rooms[name][figure] = 0
    end
  end
  return rooms[name]
end
local function read(name, value)
  local what, room = string.match(name, '^(%l+) (%S+)$')
  if what == 'ring' then
    local of = of_room(room)
    of.ring = value
    for minute, many in string.gmatch(value, '(%d+):(%d+)') do
      of.inside = of.inside + (tonumber(minute) >= call.minute and tonumber(many) or 0)
    end
  elseif what == 'room' then
    local at = 0
    for figure in string.gmatch(value, '%d+') do
      at = at + 1
      of_room(room)[FIGURES[at]] = tonumber(figure)
    end
  else
    texts[name] = value
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
local own = of_room(call.arg.room)

-- Whether it was asked for so many seconds ago at most. A clock may have been set back.
local function is_recent(of, seconds)
  return math.abs(now - of.seen) <= seconds * 1000
end
-- Whether visitors may wait there who would go in.
local function is_there(of)
  return is_recent(of, PATIENCE)
end
-- Slots that a room has, of which one is kept for so many seconds for a called visitor. A promise that was not claimed in time is free, also
-- where its room has not asked since.
local function taken_by(of, seconds)
  return of.inside + (is_recent(of, seconds + PATIENCE) and of.promised or 0)
end
-- Slots that the other rooms have.
local function taken(seconds)
  local many = 0
  for _, of in pairs(rooms) do
    many = many + (of ~= own and taken_by(of, seconds) or 0)
  end
  return many
end
-- How many of so many slots are free for this room, which itself has `many`.
local function slots(total, many, seconds)
  local free, waiting, kept = math.max(total - many - taken(seconds), 0), { own }, 0
  for _, of in pairs(rooms) do
    if of ~= own and of.line > 0 and is_there(of) then
      table.insert(waiting, of)
    end
  end
  local part = math.floor(total / #waiting)
  for i = 2, #waiting do
    kept = kept + math.min(waiting[i].line, math.max(part - taken_by(waiting[i], seconds), 0))
  end
  return math.max(math.min(free, part - many), free - kept, 0)
end
-- Until which minute one of the other rooms does not know who is inside.
local function recount()
  local last = 0
  for _, of in pairs(rooms) do
    last = math.max(last, of ~= own and of.recount or 0)
  end
  return last
end

local function write(of)
  local figures = {}
  for at, figure in ipairs(FIGURES) do
    figures[at] = string.format('%d', of[figure])
  end
  redis.pcall('HSET', key, 'room ' .. of.name, table.concat(figures, ' '), 'ring ' .. of.name, of.ring)
end

return {
  rooms = rooms, own = own, texts = texts, is_there = is_there, taken = taken, slots = slots, recount = recount, write = write,
  PATIENCE = PATIENCE,
}
