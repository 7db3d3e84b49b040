-- What the copy of the board proves that a POP brings: a line that lost its data comes back.
-- Arguments: `copy`, the text as board.lua wrote it; `copy_data`, of which data and settings it is: `started adopted version`, and when
-- each setting was set; `copy_reach`, how far it is: `epoch lines`, and `lane cursor length` of each lane; `copy_event`, the event that
-- it has begun. By these words most copies are known to say nothing new, and only the others are decoded.
-- Gives `news`, the copy where it may say what these data do not, and `take`.

local call, record, live = require('call'), require('record'), require('live')
local events, birth, journal, lanes = require('events'), require('birth'), require('journal'), require('lanes')
local arg, state = call.arg, record.state

local epoch, lines, in_lanes = string.match(arg.copy_reach, '^(%d+) (%d+) (.*)$')
-- A copy that is further on than these data means that the store has lost some.
local function is_further()
  if tonumber(epoch) > state.epoch then
    return true
  end
  for name, cursor, length in string.gmatch(in_lanes, '(%S+) (%d+) (%d+)') do
    local lane = lanes.of(name)
    if tonumber(length) > lane.length or tonumber(cursor) > lane.cursor then
      return true
    end
  end
  return false
end
-- Also where only the journal shows it.
local function has_lost_lines()
  return tonumber(lines) > (journal.seq or 0)
end
local function is_of_these()
  local set_at = live.set_at
  return arg.copy_data == string.format('%d %d %d %d %d %d %d %d', state.started, state.adopted, live.version, set_at.mode, set_at.pace,
    set_at.message, set_at.cap, set_at.event)
end
-- An order by lot that is awaited is looked at by each copy: see lot.lua.
local function is_of_this_event()
  local lot = arg.copy_event and events.begun and require('lot')
  return not arg.copy_event or lot and arg.copy_event == lot.written() and not lot.is_undecided()
end
local function news()
  if is_of_these() and not is_further() and not has_lost_lines() and is_of_this_event() then
    return
  end
  local copy = cjson.decode(arg.copy)
  local set_at = copy.live.set_at or {}
  copy.live.set_at = live.times(set_at.mode, set_at.pace, set_at.message, set_at.cap, set_at.event)
  return copy
end

-- Whether it says of the line what these data do not. The numbers of an epoch that has ended are of no use.
local function has_news(copy)
  local of, is_ahead = copy.birth, is_further() or copy.live.version > live.version
  local is_later = of.started > state.started or of.started == state.started and of.adopted > state.adopted
  local is_same = of.started == state.started and of.adopted == state.adopted
  local is_late = not birth.is_young() and of.born == state.born and of.started < state.started and copy.epoch >= state.epoch
  local has_lost = is_later or (is_same or is_late) and is_ahead or is_same and has_lost_lines()
  return has_lost or birth.is_young() and of.started < state.started, is_late, has_lost
end
-- Whether one of the two has a setting that the other has not.
local function has_settings(copy)
  for i = 1, #live.NAMES do
    local name = live.NAMES[i]
    if copy.live.set_at[name] ~= live.set_at[name] then
      return true
    end
  end
  return copy.live.version > live.version
end
local function take(copy)
  local started, adopted, of = state.started, state.adopted, copy.birth
  local age = of.started - started
  local is_news, is_late, has_lost = has_news(copy)
  if is_news then
    require('restore').take_line(copy, is_late, has_lost)
  end
  local is_lost = state.started ~= started or state.adopted ~= adopted
  if is_lost or copy.lanes or lanes.main.gap_end > lanes.main.cursor then
    require('gaps').take_copy(copy, is_lost, state.started ~= started)
  end
  -- Of this line, or of a piece of it.
  if of.born == state.born or birth.splice_of(birth.splices, of.born) then
    if has_settings(copy) then
      require('settings').take(copy.live)
    end
    if copy.begun then
      require('lot').take(copy.begun, { born = of.born, epoch = copy.epoch }, age)
    end
  end
end

return { news = news, take = take }
