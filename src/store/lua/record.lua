-- The line as the store keeps it: one hash, of numbers and texts. A number of a lane is the field `LANE FIGURE`, such as `main owed`; one
-- of what a roll has in a lane, which is a stretch of it, is `LANE/ROLL FIGURE`, such as `main/1800000000000 drawn`.
-- Gives `state`, the numbers of the line by field name; `lanes` and `stretches`, those of each lane and of each stretch by its name;
-- `lane` and `stretch`, which give the one of a name; `drop`, which forgets a stretch; `stored`, the texts as they were kept; `texts`,
-- those that this call writes, false for one that it removes; `text_of`, which gives the one of a name as it is now; `has_changed`, whether a
-- number is another one now; `is_new`, that nothing was kept; `moves`, the names of the numbers that have moved with a clock that was set
-- back; `were`, the numbers of the line as they were kept; `write`.
-- Invariant: `served` and `drawn` of a stretch never fall, and the first never passes the second.

local call = require('call')
local now, this_minute = call.now, call.minute

-- The numbers of the line, as they are as long as none is kept of them: most calls change few.
local NONE = {
  -- What the fields mean: that of the service that began the line.
  format = 0,
  -- The first roll that counts, and the first one of which visits count: see rolls.lua.
  epoch = 1, visits_epoch = 1,
  credit = 0,
  -- The second at which the current period began, and what is left of its budget.
  period = -1, left = 0,
  -- The pace at which the rate was measured.
  automatic = 0, budget = 0,
  -- All draws, all admissions, the latest minute in which a verb ran.
  drawn = 0, admitted = 0, minute = 0,
  -- What of the sums the samples of minutes have, and the latest minute in which those were put in order: see history.lua.
  noted_drawn = 0, noted_released = 0, noted_came = 0, tidied = 0,
  -- The roll that gives numbers now, when the present data began, and how often they took over what older ones knew; 1: no unknown
  -- older roll comes in any more; until when nothing is released; credit that came back, and by which copy, by its roll and its last line
  -- of the journal: see copy.lua; the latest roll that was dropped, and when a younger one came: see rolls.lua.
  own = 0, began = 0, merged = 0, sealed = 0, quiet = 0, lent = 0, lent_own = 0, lent_line = 0, dropped = 0, met = 0,
  -- The number of the latest line of the journal by which the line began or came back.
  restored = 0,
  -- 1: an operator has cleared the credit since the data began.
  set_credit = 0,
  -- How many visitors may still be called by the stock that was reported, -1 without one: see live.lua.
  stock = -1,
  -- Since when missed periods count.
  anchor = 0,
  -- All first admissions that POPs have counted; when the first release was made after the latest counts came, 0 for none;
  -- since which minute the mode is automatic and counts come in time, 0 while not. The share of called visitors who do not
  -- come, in per mille, -1 while it is not known, and the minute in which it was measured; the remainder of a budget, in per mille: see absent.lua.
  claimed = 0, uncounted = 0, steady = 0, absent = -1, measured = 0, carry = 0,
  -- The latest minute with a verb under a cap, since which minute a cap holds, the first minute in which a session of these data
  -- ends, until which minute it is unknown who is inside, and when the copy of the board was made that said so: see sessions.lua.
  capped = 0, cap_since = 0, first_end = 0, recount = 0, ring_told = 0,
  -- Which of the two hashes of sessions is written, and the latest end in it and in the other one: see sessions.lua. The version of
  -- the list of ended sessions, and the last minute of those on it: see ended.lua.
  book = 0, book_last = 0, book_other = 0, ended = 0, ended_last = 0,
  -- The cap that held last, and the latest minute in which visitors of groups waited: see slowed.lua.
  cap_total = 0, grouped = 0,
  -- About how many called visitors come late, as of which minute: see sessions.lua.
  late = 0, late_at = 0,
  -- How the origin answered lately, as of which span of ten seconds; until when it counts as sick, and until when an operator has
  -- overruled that: see health.lua.
  -- The window: how many visitors a period may have, about where the origin had enough, where the ramp after a sickness ends, in
  -- thousandths of a visitor; when it changed, from which second on released visitors count, how often that was set, and 1 once some
  -- count; their answers; the remainder of a period: see window.lua. The baseline: the latest minute, and its answers.
  w_size = 0, w_knee = 0, w_ramp = 0, w_changed = 0, w_from = 0, w_cuts = 1, w_open = 1, w_n = 0, w_late = 0, w_carry = 0,
  base_minute = 0, base_n = 0, base_late = 0,
  -- How much of its capacity the origin says is in use, in thousandths, and until when that counts.
  load = 0, load_until = 0,
  heard_ok = 0, heard_late = 0, heard_bad = 0, heard_at = 0, entry_ok = 0, entry_late = 0, entry_bad = 0, sick_until = 0, overruled = 0,
  -- How many visitors went in by an invitation: in the minute `invited_at`, and in all.
  invited_at = 0, invited_now = 0, invited = 0,
  -- How many POPs renewed their copy lately; 0 is unknown.
  pops = 0,
}
local state = setmetatable({}, { __index = NONE })

-- The same of a lane.
local NONE_OF_LANE = {
  -- How many visitors of it were called in all.
  called = 0,
  -- The measured rate: see rate.lua.
  since = 0, from = 0, mid = 0, mid_from = 0, moved = 0, step = 0, mid_step = 0,
  -- How many came in the latest minute with a draw, and in the two before it; what it is owed, in millionths of a visitor: see shares.lua.
  came_at = 0, came = 0, came_last = 0, came_before = 0, owed = 0,
  -- By how much it is ahead of its share, in hundredths of a visitor; below 0 where it is behind: see release.lua.
  over = 0,
  -- 1: the journal tells of it alone: see lanes.lua.
  apart = 0,
}
-- The figures of a stretch.
local NONE_OF_STRETCH = {
  -- The last number admitted, and the last one drawn.
  served = 0, drawn = 0,
  -- The last number whose visitor does not count for the window: see window.lua. The last one whose promised slot was taken back: see
  -- sessions.lua.
  cut = 0, lapsed = 0,
}
local lanes, stretches, were_in = {}, {}, {}
local function kept_in(all, name, none)
  if not all[name] then
    all[name], were_in[name] = setmetatable({ name = name }, { __index = none }), were_in[name] or {}
    -- One that was dropped, and begins again.
    for figure in pairs(were_in[name]) do
      all[name][figure] = none[figure]
    end
  end
  return all[name]
end
local function lane(name)
  return kept_in(lanes, name, NONE_OF_LANE)
end
local function stretch(name)
  local of = kept_in(stretches, name, NONE_OF_STRETCH)
  if not of.born then
    of.lane, of.born = string.match(name, '^(.+)/(%d+)$')
    of.born = tonumber(of.born)
  end
  return of
end

local texts, were, stored, is_new = {}, {}, {}, true
local words = redis.call('HGETALL', call.key.line)
for i = 1, #words, 2 do
  local name, value = words[i], words[i + 1]
  if NONE[name] then
    were[name] = tonumber(value)
    state[name] = were[name]
    is_new = false
  elseif string.find(name, ' ', 1, true) then
    local of, figure = string.match(name, '^(%S+) (%S+)$')
    local kept = string.find(of, '/', 1, true) and stretch(of) or lane(of)
    kept[figure], were_in[of][figure] = tonumber(value), tonumber(value)
    is_new = false
  else
    stored[name] = value
    is_new = is_new and name ~= 'version'
  end
end

-- A clock that is set back, as by a failover to another machine: what has been lies ahead of it. By so many milliseconds at least.
local set_back = math.max(state.minute * 60000 - now, 0)
for _, of in pairs(lanes) do
  set_back = math.max(set_back, of.moved - now)
end
-- All that a rule compares with the time moves with the clock: what has been is no later than now, and what is to end has as long as
-- it had. Sessions stay: they end with the minute on their tickets. A verb writes all of it or none, since it moves once.
local moves = {}
if set_back > 0 then
  local function move(names, by)
    for _, name in ipairs(names) do
      moves[name], state[name] = true, by(state[name])
    end
  end
  for _, of in pairs(lanes) do
    for _, name in ipairs({ 'since', 'mid', 'moved' }) do
      of[name] = math.max(of[name] - set_back, 0)
    end
    of.came_at = math.min(of.came_at, this_minute)
  end
  local function back_by(unit)
    return function(time)
      return math.max(time - math.floor(set_back / unit), 0)
    end
  end
  move({ 'began', 'quiet', 'anchor', 'uncounted', 'sick_until', 'overruled', 'load_until' }, back_by(1))
  move({ 'w_changed', 'w_from' }, back_by(1000))
  move({ 'recount' }, back_by(60000))
  move({ 'minute', 'tidied', 'steady', 'measured', 'capped', 'cap_since', 'late_at', 'base_minute', 'invited_at', 'grouped' }, function(minute)
    return math.min(minute, this_minute)
  end)
end

-- Its numbers are none of this line any more.
local function drop(of)
  stretches[of.name] = nil
end
local function note_changes(changed, all, none)
  for of, figures in pairs(all) do
    local kept = were_in[of]
    for name, number in pairs(figures) do
      if none[name] and number ~= (kept[name] or none[name]) then
        table.insert(changed, of .. ' ' .. name)
        table.insert(changed, number)
      end
    end
  end
end
-- A text as it is now.
local function text_of(name)
  if texts[name] == nil then
    return stored[name]
  end
  return texts[name] or nil
end
-- What is as it is by itself is not kept.
local function has_changed(name)
  return state[name] ~= (were[name] or NONE[name])
end
local function write(lifetime)
  local line, changed = call.key.line, {}
  for name, number in pairs(state) do
    if has_changed(name) then
      table.insert(changed, name)
      table.insert(changed, number)
    end
  end
  note_changes(changed, lanes, NONE_OF_LANE)
  note_changes(changed, stretches, NONE_OF_STRETCH)
  for of, kept in pairs(were_in) do
    if not lanes[of] and not stretches[of] then
      for name in pairs(kept) do
        redis.call('HDEL', line, of .. ' ' .. name)
      end
    end
  end
  for name, text in pairs(texts) do
    if text then
      table.insert(changed, name)
      table.insert(changed, text)
    else
      redis.call('HDEL', line, name)
    end
  end
  if #changed > 0 then
    redis.call('HSET', line, unpack(changed))
    redis.call('EXPIRE', line, lifetime)
  end
end

return {
  state = state, lanes = lanes, lane = lane, stretches = stretches, stretch = stretch, drop = drop, stored = stored, texts = texts,
  text_of = text_of, has_changed = has_changed, were = were, is_new = is_new, moves = moves, write = write,
}
