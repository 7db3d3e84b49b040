-- The lanes of the line, each a queue of its own: `main`, where visitors draw as they come; one for each region; and one for each group,
-- which invitations open, with a share of its own in what is released. A lane that is gone from the settings is one without a share. A
-- lane has a stretch for each roll of the line in which a number was drawn there: `served` and `drawn` of it.
-- A place is a stretch and a number of it: `of` and `number`.
-- Gives `main`; `groups`, the lanes of groups in the order of their ranks, each with its `percent`; `list`, all lanes, and `beside`, those
-- that are no group, `main` first and the others in the order of their names; `of`, the lane of a name; `free`, the share of the lanes
-- without a fixed one; `before`, the sums before the verb; `rank`, `has_regions`, `is_region`, `find`, `stretch`, `know`, `drop`, `sum`,
-- `waiting_in`, `waiting`, `position`, `is_called`, `is_told`, `sum_of_roll`, `is_next`, `remember`, `draw`, `turn`, `forget_shares`.

local call, record = require('call'), require('record')
local state = record.state

local lanes = { list = {}, groups = {}, beside = {}, before = {}, free = 100 }
local list, groups, beside, before = lanes.list, lanes.groups, lanes.beside, lanes.before

local function is_first(a, b)
  return a.name ~= b.name and (a.name == 'main' or b.name ~= 'main' and a.name < b.name)
end
local function enlist(lane)
  lane.stretches = {}
  table.insert(list, lane)
  if not lane.rank then
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
lanes.main = record.lane('main')
-- The groups that the room has now, the first of which goes first.
for name, percent in string.gmatch(call.arg.priority or '', '([^ =]+)=(%d+)') do
  local lane = record.lane(name)
  table.insert(groups, lane)
  lane.rank, lane.percent = #groups, tonumber(percent)
end
-- The regions that it has. A percent follows the name where the share is fixed.
local configured = {}
for name, percent in string.gmatch(call.arg.regions or '', '([^ =]+)=?(%d*)') do
  local fixed = tonumber(percent)
  record.lane(name).fixed, configured[name] = fixed, true
  lanes.free = math.max(lanes.free - (fixed or 0), 0)
end
local function is_older(a, b)
  return a.born < b.born
end
local function add(of)
  local stretches = lanes.of(of.lane).stretches
  table.insert(stretches, of)
  table.sort(stretches, is_older)
end
for _, lane in pairs(record.lanes) do
  enlist(lane)
end
sort()
local rolls, many_rolls = {}, 0
for _, of in pairs(record.stretches) do
  add(of)
  many_rolls = many_rolls + (rolls[of.born] and 0 or 1)
  rolls[of.born] = true
end

-- The rank of the group of this name; behind all of them where there is none.
function lanes.rank(name)
  local lane = record.lanes[name]
  return lane and lane.rank or math.huge
end
function lanes.has_regions()
  return #beside > 1
end
-- Whether the room has a region of this name now.
function lanes.is_region(name)
  return configured[name]
end
-- What a lane has of a roll; `find` gives nothing where no number was drawn.
function lanes.find(lane, born)
  for _, of in ipairs(lane.stretches) do
    if of.born == born then
      return of
    end
  end
end
function lanes.stretch(lane, born)
  local of = lanes.find(lane, born)
  if not of then
    -- The journal tells of a lane alone that was a group's when it began, also when it is none any more.
    lane.apart = lane.stretches[1] and lane.apart or lane.rank and 1 or 0
    of = record.stretch(string.format('%s/%d', lane.name, born))
    add(of)
  end
  return of
end
-- A roll of which one lane is known is known in all.
function lanes.know(born)
  for _, lane in ipairs(list) do
    lanes.stretch(lane, born)
  end
end
if many_rolls > 1 or many_rolls == 1 and not rolls[state.own] then
  for born in pairs(rolls) do
    lanes.know(born)
  end
end
function lanes.drop(of)
  local stretches = lanes.of(of.lane).stretches
  for at = #stretches, 1, -1 do
    if stretches[at] == of then
      table.remove(stretches, at)
    end
  end
  record.drop(of)
end
-- `served` or `drawn` of all its rolls.
function lanes.sum(lane, figure)
  local sum, stretches = 0, lane.stretches
  for i = 1, #stretches do
    sum = sum + stretches[i][figure]
  end
  return sum
end
-- How many visitors wait in this lane, and in all.
function lanes.waiting_in(lane)
  local sum, stretches = 0, lane.stretches
  for i = 1, #stretches do
    sum = sum + stretches[i].drawn - stretches[i].served
  end
  return sum
end
function lanes.waiting()
  local sum = 0
  for i = 1, #list do
    sum = sum + lanes.waiting_in(list[i])
  end
  return sum
end
-- As visitors read it: behind the numbers of older rolls.
function lanes.position(place)
  local sum = place.number
  for _, of in ipairs(lanes.of(place.of.lane).stretches) do
    sum = sum + (of.born < place.of.born and of.drawn or 0)
  end
  return sum
end
function lanes.is_called(place)
  return place.number <= place.of.served
end
-- Whether the journal tells of this lane alone: of a group's, and of the main line where no region counts with it.
function lanes.is_told(lane)
  local is_alone = lane == lanes.main
  for i = 2, #list do
    local other = list[i]
    is_alone = is_alone and (other.apart == 1 or other.rank ~= nil and not other.stretches[1])
  end
  return is_alone or lane.apart == 1
end
-- How many numbers a roll has in all lanes.
function lanes.sum_of_roll(born)
  local sum = 0
  for _, of in pairs(record.stretches) do
    sum = sum + (of.born == born and of.drawn or 0)
  end
  return sum
end
-- Whether no waiting visitor is ahead.
function lanes.is_next(place)
  for _, of in ipairs(lanes.of(place.of.lane).stretches) do
    if of.born < place.of.born and of.served < of.drawn then
      return false
    end
  end
  return place.number == place.of.served + 1
end
-- Taking a copy happens before a verb; this keeps what the verb itself changes apart from that.
function lanes.remember()
  before.drawn, before.admitted, before.claimed, before.waiting = state.drawn, state.admitted, state.claimed, lanes.waiting()
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
-- The next place in this lane.
function lanes.draw(lane)
  if lanes.has_regions() then
    lanes.turn(lane)
    lane.came = lane.came + 1
  end
  local of = lanes.stretch(lane, state.own)
  of.drawn, state.drawn = of.drawn + 1, state.drawn + 1
  return { of = of, number = of.drawn }
end
-- What each lane is owed or has ahead.
function lanes.forget_shares()
  for i = 1, #list do
    list[i].owed, list[i].over = 0, 0
  end
end

return lanes
