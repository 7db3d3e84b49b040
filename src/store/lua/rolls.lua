-- The rolls of the line. A roll is the numbers that one beginning of the store's data gives, in each lane from 1 on; its name is the
-- store's time in ms at that beginning. Numbers never move: in a lane the older roll goes first, then the smaller number.
-- `own` gives numbers now. `epoch` is the first roll that counts: *End all tickets*, and an event, begin a roll and end all before it.
-- Visits end with *End all tickets* alone: those by rolls before `visits_epoch`.
-- Data that the store lost begin a roll, and what a copy of the board or tickets know of older ones comes in beside it; so do data that
-- went back to an older state, as by a backup. While data are young, the holder of a number of an unknown roll waits for that.
-- Invariant: what these data have of a roll only grows, so in which order copies come makes no difference.
-- Gives `QUIET`, for how many milliseconds data that took over a line release nothing; `data_age`, `is_young`, `has_ended`,
-- `has_ended_visits`, `begin`, `end_before`, `is_known`, `may_come`, `is_apart`, `keep_few`.

local call, record, lanes = require('call'), require('record'), require('lanes')
local state, now = record.state, call.now
-- The number of rolls that are kept.
local MOST = 16
local YOUNG = 120000

local rolls = { QUIET = 10000 }

-- Nothing waits for a clock that was set back to catch up.
state.began, state.quiet = math.min(state.began, now), math.min(state.quiet, now + rolls.QUIET)
function rolls.data_age()
  return now - state.began
end
-- Once it is over, a clock that jumps back makes no data young again.
if state.own > 0 and rolls.data_age() >= YOUNG then
  state.sealed = 1
end
function rolls.is_young()
  return state.sealed == 0
end

-- Whether numbers of this roll were ended on purpose; and visits by it.
function rolls.has_ended(born)
  return tonumber(born) < state.epoch
end
function rolls.has_ended_visits(born)
  return tonumber(born) < state.visits_epoch
end
-- A roll of which one lane is known is known in all.
function rolls.is_known(born)
  for _, of in pairs(record.stretches) do
    if of.born == born then
      return true
    end
  end
  return born == state.own
end
-- Whether an unknown roll may come in.
function rolls.may_come(born)
  return not rolls.has_ended(born) and born > state.dropped and (rolls.is_young() or born > state.own)
end

-- Two stores that take turns show each other ever younger rolls: one is begun for that no sooner than a minute after the last one.
function rolls.is_apart()
  return now < state.met or now - state.met >= 60000
end
-- From now on numbers are of a new roll, behind all that are known, and behind `roll` where one is named.
function rolls.begin(roll)
  local last = math.max(state.own, state.epoch, roll or 0)
  for _, of in pairs(record.stretches) do
    last = math.max(last, of.born)
  end
  -- Where the clock was set back, other data may count on from the same one.
  state.own = now > last and now or last + 1 + now % 60000
end
-- All rolls before this one have ended.
function rolls.end_before(epoch)
  state.epoch = epoch
  for _, of in pairs(record.stretches) do
    if of.born < epoch then
      lanes.drop(of)
    end
  end
  if state.own < epoch then
    rolls.begin()
  end
end

-- Where there are too many, those go whose visitors were all called, the oldest first, then the oldest.
function rolls.keep_few()
  local waits, born = {}, {}
  for _, of in pairs(record.stretches) do
    if not waits[of.born] and of.born ~= state.own then
      table.insert(born, of.born)
    end
    waits[of.born] = (waits[of.born] or 0) + of.drawn - of.served
  end
  table.sort(born, function(a, b)
    if (waits[a] > 0) ~= (waits[b] > 0) then
      return waits[a] == 0
    end
    return a < b
  end)
  for i = 1, #born - MOST do
    state.dropped = math.max(state.dropped, born[i])
    for _, of in pairs(record.stretches) do
      if of.born == born[i] then
        lanes.drop(of)
      end
    end
  end
end

return rolls
