-- The lanes of the line, each a queue of its own with a cursor and a length: `main`, where visitors draw as they come; one for each
-- region; and `front`, a group, which invitations open and which has a share of its own in what the pace lets in.
-- Invariant: within one birth of the line no number of a lane is given twice, unless a loss hid more of them than are left free.
-- Gives `main`, `front`; `list`, all lanes, and `beside`, those that are no group, `main` first and the others in the order of their names;
-- `of`, the lane of a name; `front_share`, the share of the front lane in percent, and `free`, that of the lanes without a fixed one;
-- `before`, the sums before the verb; `has_regions`, `is_configured`, `waiting_in`, `waiting`, `remember`, `recent`, `draw`, `turn`,
-- `forget_shares`.

local call, record = require('call'), require('record')
local state, now = record.state, call.now

local lanes = { list = {}, beside = {}, before = {}, front_share = tonumber(call.arg.front_share) or 0, free = 100 }
local list, beside, before = lanes.list, lanes.beside, lanes.before

local function is_first(a, b)
  return a.name ~= b.name and (a.name == 'main' or b.name ~= 'main' and a.name < b.name)
end
local function enlist(lane)
  table.insert(list, lane)
  if lane.name ~= 'front' then
    table.insert(beside, lane)
  end
end
local function sort()
  table.sort(list, is_first)
  table.sort(beside, is_first)
end
function lanes.of(name)
  local lane = record.lanes[name]
  if not lane then
    lane = record.lane(name)
    enlist(lane)
    sort()
  end
  return lane
end
lanes.main, lanes.front = record.lane('main'), record.lane('front')
-- The regions that the room has now. A percent follows the name where the share is fixed.
local configured = { main = true, front = lanes.front_share > 0 }
for name, percent in string.gmatch(call.arg.regions or '', '([^ =]+)=?(%d*)') do
  local fixed = tonumber(percent)
  record.lane(name).fixed, configured[name] = fixed, true
  lanes.free = math.max(lanes.free - (fixed or 0), 0)
end
for _, lane in pairs(record.lanes) do
  enlist(lane)
end
sort()

function lanes.has_regions()
  return #beside > 1
end
-- Whether the room has this lane now.
function lanes.is_configured(lane)
  return configured[lane.name]
end
-- How many visitors wait in this lane, and in all.
function lanes.waiting_in(lane)
  return lane.length - lane.cursor
end
function lanes.waiting()
  local sum = 0
  for i = 1, #list do
    sum = sum + list[i].length - list[i].cursor
  end
  return sum
end
-- Taking a copy happens before a verb; this keeps what the verb itself changes apart from that.
function lanes.remember()
  before.drawn, before.admitted, before.claimed, before.waiting = state.drawn, state.admitted, state.claimed, lanes.waiting()
end

-- How many numbers were drawn in four seconds, at most: a copy may be that old when the data are lost.
local SPAN = 4000
function lanes.recent(lane)
  local ago, current = math.floor(now / SPAN) - lane.window, lane.length - lane.window_from
  if ago == 0 then
    return current + lane.window_last
  end
  return ago == 1 and current or 0
end
-- The minute that was the latest becomes one of those before it.
function lanes.turn(lane)
  local ago = call.minute - lane.came_at
  if ago > 0 then
    local came, last = lane.came, lane.came_last
    lane.came_before = ago == 1 and last or ago == 2 and came or 0
    lane.came_last = ago == 1 and came or 0
    lane.came, lane.came_at = 0, call.minute
  end
end
-- The next number of this lane.
function lanes.draw(lane)
  local window = math.floor(now / SPAN)
  local ago, length = window - lane.window, lane.length
  if ago ~= 0 then
    lane.window_last = ago == 1 and length - lane.window_from or 0
    lane.window, lane.window_from = window, length
  end
  if lanes.has_regions() then
    lanes.turn(lane)
    lane.came = lane.came + 1
  end
  lane.length, state.drawn = length + 1, state.drawn + 1
  return length + 1
end
-- What each lane is owed or has ahead.
function lanes.forget_shares()
  for i = 1, #list do
    list[i].owed, list[i].over = 0, 0
  end
end

return lanes
