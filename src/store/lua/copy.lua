-- What the copy of the board proves that a POP brings: a line that lost its data comes back.
-- Arguments: `copy`, the text as board.lua wrote it; `copy_data`, of which data and settings it is: `own merged version`, and when each
-- setting was set; `copy_reach`, how far it is: `epoch lines`, and `LANE/ROLL served drawn` of each stretch; `copy_event`, the event that
-- it has begun. By these words most copies are known to say nothing new, and only the others are decoded.
-- Gives `news`, the copy where it may say what these data do not, and `take`.

local call, record, live = require('call'), require('record'), require('live')
local events, rolls, journal, lanes = require('events'), require('rolls'), require('journal'), require('lanes')
local arg, state = call.arg, record.state

local epoch, lines, in_stretches = string.match(arg.copy_reach, '^(%d+) (%d+) ?(.*)$')
-- Whether these data take what is known of a roll.
local function comes_in(born)
  return rolls.is_known(born) or rolls.may_come(born)
end
-- A copy that is further on than these data means that the store has lost some.
local function is_further()
  if tonumber(epoch) > state.epoch then
    return true
  end
  for name, served, drawn in string.gmatch(in_stretches, '(%S+) (%d+) (%d+)') do
    local known = record.stretches[name]
    if not known and comes_in(tonumber(string.match(name, '/(%d+)$'))) then
      return true
    elseif known and (tonumber(drawn) > known.drawn or tonumber(served) > known.served) then
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
  return arg.copy_data == string.format('%d %d %d %d %d %d %d %d %d', state.own, state.merged, live.version, set_at.mode, set_at.pace,
    set_at.message, set_at.cap, set_at.event, set_at.stock)
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
  copy.live.set_at = live.times(set_at.mode, set_at.pace, set_at.message, set_at.cap, set_at.event, set_at.stock)
  return copy
end

-- The stretches of a copy, each with its lane.
local function stretches_of(copy)
  local list = {}
  local function add(lane, of_lane)
    for _, of in ipairs(of_lane or {}) do
      table.insert(list, { lane = lane, born = of.born, served = of.served, drawn = of.drawn })
    end
  end
  add(lanes.main, copy.rolls)
  for _, of in ipairs(copy.lanes or {}) do
    add(lanes.of(of.name), of.rolls)
  end
  return list
end
-- Whether the copy has more numbers of the own roll, of which these data alone give some.
local function has_lost_numbers(told)
  for _, of in ipairs(told) do
    local own = lanes.find(of.lane, of.born)
    if of.born == state.own and of.drawn > (own and own.drawn or 0) then
      return true
    end
  end
end
-- Whether these data were more than they are: by that, or by a line of the journal that they do not have; and whether the copy is of a
-- roll that began later.
local function went_back(copy, told)
  if copy.own ~= state.own then
    return copy.own > state.own, copy.own > state.own
  end
  return has_lost_numbers(told) or has_lost_lines()
end
-- Whether it says more of the rolls than was known, and whether it has one of these rolls.
local function merge(told)
  local has_grown, is_of_these_rolls = false, false
  for _, of in ipairs(told) do
    local known = lanes.find(of.lane, of.born)
    is_of_these_rolls = is_of_these_rolls or known ~= nil or of.born == state.own
    if known or comes_in(of.born) then
      if not known then
        lanes.know(of.born)
        known = lanes.find(of.lane, of.born)
      end
      has_grown = require('ticket').learn(known, of.served, of.drawn) or has_grown
    end
  end
  return has_grown, is_of_these_rolls
end
-- Credit comes back once: of the latest copy, by its roll and the number of its last line of the journal. Between two lines credit is only
-- used. Whether it changed.
local function lend(copy)
  local last = copy.lines or 0
  local is_later = copy.own > state.lent_own or copy.own == state.lent_own and last > state.lent_line
  local is_same = copy.own == state.lent_own and last == state.lent_line
  if state.set_credit ~= 0 or not (is_later or is_same and copy.credit < state.lent) then
    return false
  end
  local before = state.credit
  state.credit = math.max(before + copy.credit - state.lent, 0)
  state.lent, state.lent_own, state.lent_line = copy.credit, copy.own, last
  return state.credit ~= before
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
-- What the stock of the copy has left, less the visitors whom these data have called and the copy does not know of.
local function left_of(copy)
  local told, left = {}, copy.live.stock
  for _, of in ipairs(stretches_of(copy)) do
    told[string.format('%s/%d', of.lane.name, of.born)] = of.served
  end
  for name, of in pairs(record.stretches) do
    left = left and math.max(left - math.max(of.served - (told[name] or 0), 0), 0)
  end
  return left or -1
end
local function take_settings(copy)
  if has_settings(copy) then
    if copy.live.set_at.stock > live.set_at.stock then
      state.stock, live.stock_of = left_of(copy), copy.live.stock_of or false
      record.texts.stock_of = live.stock_of
      events.read()
    end
    require('settings').take(copy.live)
  end
end
local function take(copy)
  local told, own = stretches_of(copy), state.own
  local has_lost, is_younger = went_back(copy, told)
  -- Data that have given no number yet only count on behind the younger roll.
  local is_empty = is_younger and rolls.is_young() and lanes.sum_of_roll(own) == 0
  local begins = has_lost and not is_empty
  if begins and is_younger and not rolls.is_apart() and copy.epoch <= state.epoch and not has_lost_numbers(told) then
    return take_settings(copy)
  elseif begins then
    state.met = is_younger and call.now or state.met
    require('loss')()
  elseif is_empty then
    state.lent, state.lent_own, state.lent_line = state.credit, 0, 0
  end
  local is_later = copy.epoch > state.epoch
  if is_later then
    rolls.end_before(copy.epoch)
  end
  state.visits_epoch = math.max(state.visits_epoch, copy.visits_epoch)
  local has_grown, is_of_these_rolls = merge(told)
  if has_lost and copy.own >= state.own then
    rolls.begin()
  end
  -- Of another line, or of rolls that are gone for long.
  if not (rolls.is_young() or is_of_these_rolls or has_lost or is_later or copy.own == own) then
    return
  end
  local is_of_others = has_lost or rolls.is_young() and copy.own ~= own
  local is_first, has_lent = is_of_others and state.merged == 0, false
  if is_of_others and not rolls.has_ended(copy.own) then
    has_lent = lend(copy)
    if (has_grown or is_first) and rolls.data_age() < rolls.QUIET then
      state.quiet = state.began + rolls.QUIET
    end
  end
  if is_of_others and not rolls.has_ended_visits(copy.own) and copy.sessions and copy.sessions.told_ms > state.ring_told then
    require('sessions').take(copy.sessions)
  end
  if has_grown or is_first or is_later or has_lent then
    state.merged = state.merged + 1
  end
  rolls.keep_few()
  if is_of_others and copy.slowed then
    require('slowed').take(copy.slowed)
  end
  take_settings(copy)
  if copy.begun and not rolls.has_ended(copy.own) then
    require('lot').take(copy.begun, copy.own - own)
  end
end

return { news = news, take = take }
