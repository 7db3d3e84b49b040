-- The numbers that a loss of the data left free, and what copies and tickets prove of the front lane and of the regions.
-- `gap`, `gap_end`: of a lane, those behind the first of the two and up to the second.
-- Gives `LEAST`, how many numbers are left free at least; `behind`, `forget`, `forget_lanes`, `known_end`, `leave_all_free`,
-- `show_held`, `take_cursor`, `last_of`, `begin_of`, `take_copy`, `take_ticket`.

local call, record, birth, lanes = require('call'), require('record'), require('birth'), require('lanes')
local rate = require('rate')
local state, main = record.state, lanes.main
local LEAST = 20
-- What a copy without a number of a lane knows of it.
local NONE = { cursor = 0, length = 0, recent = 0 }

local gaps = { LEAST = LEAST }
-- Numbers left free behind those that a copy knows: it may be older than the last of them.
function gaps.behind(length, lately)
  return length + math.max(LEAST, lately)
end
local function forget_gap(lane)
  lane.gap, lane.gap_end = 0, 0
end
function gaps.forget()
  for _, lane in ipairs(lanes.list) do
    forget_gap(lane)
  end
end
-- The numbers of another birth are none of this one.
local function forget_numbers(lane)
  lane.cursor, lane.length, lane.window_from, lane.cut, lane.lapsed = 0, 0, 0, 0, 0
  if call.arg.turn_minutes then
    require('turns').forget(lane)
  end
end
function gaps.forget_lanes()
  gaps.forget()
  for i = 2, #lanes.list do
    forget_numbers(lanes.list[i])
  end
  lanes.forget_shares()
end
-- Where the numbers end that visitors are known to hold: behind them may be those that a loss left free.
function gaps.known_end(lane, last)
  return lane.gap_end == last and lane.gap or last
end
-- How many numbers that were left free are in front of visitors who drew since, and not passed.
local function free_ahead(lane)
  local ends = lane.gap_end
  return ends < lane.length and ends - math.max(lane.gap, lane.cursor) or 0
end
-- Data were lost: numbers are left free behind those that are known here and by a copy. Where these data are of before the loss, what
-- they know is old too.
local function leave_free(lane, copy, are_old)
  local length = lane.length
  local last = are_old and length > 0 and gaps.behind(length, lanes.recent(lane)) or length
  if copy.length > 0 or length == 0 and lanes.is_configured(lane) then
    last = math.max(last, gaps.behind(copy.length, copy.recent))
  end
  if last > length then
    local free = math.max(gaps.known_end(lane, length), copy.length)
    -- One row of free numbers is kept: the longer one.
    if are_old or last - free > free_ahead(lane) then
      lane.gap, lane.gap_end = free, last
    end
    lane.length, lane.window_from = last, last
  end
end
function gaps.leave_all_free()
  for i = 2, #lanes.list do
    leave_free(lanes.list[i], NONE, true)
  end
end
-- A visitor holds this number, so it is not among those that a loss left free, nor are those before it. A number behind them may have
-- been drawn since.
function gaps.show_held(lane, number)
  if number > lane.gap and number <= lane.gap_end then
    lane.gap = number
  end
end
function gaps.take_cursor(lane, cursor)
  if cursor > lane.cursor then
    lane.cursor = cursor
    rate.forget_lane(lane)
  end
end
function gaps.last_of(list, born)
  return list[#list] or { born = born, offset = 0 }
end
-- Behind which number the piece of this birth begins here.
function gaps.begin_of(born)
  local piece = birth.splice_of(birth.splices, born)
  return born == state.born and 0 or piece and piece.offset
end
-- Whether a copy or a ticket says something of this line: where it was begun anew on purpose, the numbers of before are of no use.
local function is_of_this(born, epoch)
  return born == state.born and (epoch >= state.epoch or state.sealed == 0)
end
-- What a copy knows of a lane. `is_of_others`: it is of other data than these.
local function take_lane(lane, copy, is_lost, are_old, is_of_others)
  if is_of_others then
    -- It may show more of this lane alone.
    is_lost = is_lost or birth.is_young() and copy.length > 0
    gaps.show_held(lane, math.min(copy.length, lane.gap_end))
  end
  if copy.length > lane.length or is_lost then
    leave_free(lane, copy, are_old)
  end
  gaps.take_cursor(lane, copy.cursor)
end
-- The same in the main line, also where its pieces move no more.
local function show_main(copy)
  local last = gaps.last_of(copy.birth.splices or {}, copy.birth.born)
  local begin = gaps.begin_of(last.born)
  if begin then
    gaps.show_held(main, math.min(begin + copy.length - last.offset, main.gap_end))
  end
end
function gaps.take_copy(copy, is_lost, are_old)
  -- A copy of these data knows no more of what they left free.
  local is_of_others = copy.birth.started ~= state.started
  local is_here = is_of_this(copy.birth.born, copy.epoch)
  if is_of_others and is_here then
    show_main(copy)
  end
  local known = {}
  for _, lane in ipairs(is_here and copy.lanes or {}) do
    known[lanes.of(lane.name)] = lane
  end
  for i = 2, #lanes.list do
    local lane = lanes.list[i]
    take_lane(lane, known[lane] or NONE, is_lost, are_old, is_of_others)
  end
end
-- A ticket proves what its lane had reached.
function gaps.take_ticket(ticket, lane)
  if not is_of_this(ticket.born, ticket.epoch) or state.started == 0 then
    return
  end
  state.epoch = math.max(state.epoch, ticket.epoch)
  gaps.show_held(lane, ticket.position)
  if ticket.position > lane.length then
    forget_gap(lane)
    lane.length = ticket.position + LEAST
    lane.window_from = lane.length
  end
  gaps.take_cursor(lane, math.min(ticket.seen, ticket.position))
end

return gaps
