-- The arguments, the state of the line by field name, and how the state is written back.
-- ARGV[1] names the keys in their order; the other arguments are pairs of name and value.
-- Invariant: the cursor never falls and never passes the length.

-- What few calls need is a part, and is made by the first use of it: a function that is not made costs nothing.
local parts, made = {}, {}
local function use(name)
  made[name] = made[name] or parts[name]()
  return made[name]
end

local key, tills, marks = {}, {}, {}
local place = 0
for name in string.gmatch(ARGV[1], '%S+') do
  place = place + 1
  if name == 'till' then
    table.insert(tills, KEYS[place])
  elseif name == 'mark' then
    table.insert(marks, KEYS[place])
  else
    key[name] = KEYS[place]
  end
end
local arg = {}
for i = 2, #ARGV, 2 do
  arg[ARGV[i]] = ARGV[i + 1]
end

-- Seconds for which Redis keeps what is not touched. The line itself is kept for the argument `lifetime`, and at least
-- `live` when an operator has set something.
local TTL = {
  hour = 7200, counts = 2592000, till = 604800, draw = 300, again = 86400, once = 86400, actions = 604800, live = 2592000, pops = 180, network = 3600, paid = 7200,
}
local lifetime = tonumber(arg.lifetime)

-- The store's own clock decides, in milliseconds: the clock of a POP may be wrong. An argument replaces it in tests.
local now = tonumber(arg.now)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local this_minute = math.floor(now / 60000)

-- The numbers of the line, as they are as long as none is kept of them: most calls change few.
local NONE = {
  -- The line.
  epoch = 1, cursor = 0, length = 0, credit = 0,
  -- The second at which the current period began, and what is left of its budget.
  period = -1, left = 0,
  -- The pace at which the rate was measured.
  automatic = 0, budget = 0,
  -- The measured rate.
  since = 0, from = 0, mid = 0, mid_from = 0, moved = 0, step = 0, mid_step = 0,
  -- All draws, all admissions, the latest minute in which a verb ran.
  drawn = 0, admitted = 0, minute = 0,
  -- The birth of the line: see birth.lua.
  born = 0, started = 0, adopted = 0, sealed = 0, quiet = 0, lent = 0,
  -- When the present data began, where the clock was set back since or is behind the name that they have: see birth.lua.
  began = 0,
  -- What was born until then does not move, nor come back: see birth.lua.
  settled = 0,
  -- The number of the latest line of the journal by which the line began or came back.
  restored = 0,
  -- 1: an operator has cleared the credit since the data began.
  set_credit = 0,
  -- Since when missed periods count.
  anchor = 0,
  -- Numbers drawn in spans of four seconds.
  window = 0, window_from = 0, window_last = 0,
  -- All first admissions that POPs have counted; when the first release was made after the latest counts came, 0 for none;
  -- since which minute the mode is automatic and counts come in time, 0 while not. The share of called visitors who do not
  -- come, in per mille, -1 while it is not known, and the minute in which it was measured; the remainder of a budget, in per mille: see absent.lua.
  claimed = 0, uncounted = 0, steady = 0, absent = -1, measured = 0, carry = 0,
  -- The latest minute with a verb under a cap, since which minute a cap holds, the first minute in which a session of these data
  -- ends, until which minute it is unknown who is inside, and when the copy of the sign was made that said so: see sessions.lua.
  capped = 0, cap_since = 0, first_end = 0, recount = 0, ring_told = 0,
  -- Which of the two hashes of sessions is written, and the latest end in it and in the other one: see sessions.lua. The version of
  -- the list of ended sessions, and the last minute of those on it: see ended.lua.
  book = 0, book_last = 0, book_other = 0, ended = 0, ended_last = 0,
  -- About how many called visitors come late, as of which minute; the last number whose promised slot was taken back.
  late = 0, late_at = 0, lapsed = 0,
  -- How the origin answered lately, as of which span of ten seconds; until when it counts as sick, and until when an operator has
  -- overruled that: see health.lua.
  -- The window: how many visitors a period may have, about where the origin had enough, where the ramp after a sickness ends, in
  -- thousandths of a visitor; when it changed, from which second on released visitors count, how often that was set, and the last
  -- number before them; their answers; the remainder of a period: see window.lua. The baseline: the latest minute, and its answers.
  w_size = 0, w_knee = 0, w_ramp = 0, w_changed = 0, w_from = 0, w_cuts = 1, w_at = 0, w_n = 0, w_late = 0, w_carry = 0,
  base_minute = 0, base_n = 0, base_late = 0,
  -- How much of its capacity the origin says is in use, in thousandths, and until when that counts.
  load = 0, load_until = 0,
  heard_ok = 0, heard_late = 0, heard_bad = 0, heard_at = 0, entry_ok = 0, entry_late = 0, entry_bad = 0, sick_until = 0, overruled = 0,
  -- How many visitors went in by an invitation: in the minute `invited_at`, and in all.
  invited_at = 0, invited_now = 0, invited = 0,
  -- The front lane: its numbers, those drawn in spans of four seconds, and by how much it is ahead of its share, in hundredths of a
  -- visitor: see release.lua.
  front_cursor = 0, front_length = 0, front_window = 0, front_window_from = 0, front_window_last = 0, front_over = 0,
  -- The numbers that a loss left free in the main line and in the front lane, behind the first of the two and up to the second: see
  -- lanes.lua.
  gap = 0, gap_end = 0, front_gap = 0, front_gap_end = 0,
  -- How many POPs renewed the sign lately; 0 is unknown.
  pops = 0,
}
local state = setmetatable({}, { __index = NONE })

-- Fields that are no numbers, and change: a text, or false for none.
local texts = {}
-- What is kept, as it was when this began: the numbers of the line, and all else.
local were, stored, before, is_new = {}, {}, {}, true
do
  local words = redis.call('HGETALL', key.line)
  for i = 1, #words, 2 do
    local name, value = words[i], words[i + 1]
    if NONE[name] then
      were[name] = tonumber(value)
      state[name] = were[name]
      is_new = false
    else
      stored[name] = value
      is_new = is_new and name ~= 'version'
    end
  end
end

-- A clock that is set back, as by a failover to another machine: what has been lies ahead of it. By so many milliseconds at least.
local set_back = math.max(state.moved - now, state.minute * 60000 - now, state.window * 4000 - now, 0)
-- All that a rule compares with the time moves with the clock: what has been is no later than now, and what is to end has as long as
-- it had. Sessions stay: they end with the minute on their tickets. `own`: of one lane.
local function turn_back(own)
  for _, name in ipairs({ 'since', 'mid', 'moved' }) do
    state[own .. name] = math.max((state[own .. name] or 0) - set_back, 0)
  end
  state[own .. 'window'] = math.min(state[own .. 'window'], math.floor(now / 4000))
end
if set_back > 0 then
  turn_back('')
  state.front_window = math.min(state.front_window, math.floor(now / 4000))
  state.began = math.min(state.began > 0 and state.began or state.started, now + set_back)
  for _, name in ipairs({ 'began', 'quiet', 'anchor', 'uncounted', 'sick_until', 'overruled', 'load_until' }) do
    state[name] = math.max(state[name] - set_back, 0)
  end
  local minutes = math.floor(set_back / 60000)
  state.recount = math.max(state.recount - minutes, 0)
  for _, name in ipairs({ 'minute', 'steady', 'measured', 'capped', 'cap_since', 'late_at', 'base_minute', 'invited_at' }) do
    state[name] = math.min(state[name], this_minute)
  end
  for _, name in ipairs({ 'w_changed', 'w_from' }) do
    state[name] = math.max(state[name] - math.floor(set_back / 1000), 0)
  end
end

-- What an operator set takes precedence over the configuration. A message can be set to nothing, which differs from not
-- being set.
local live = {
  mode = stored.mode or 'automatic',
  automatic = tonumber(stored.live_automatic or arg.automatic),
  quantity = tonumber(stored.live_quantity or arg.quantity),
  message = stored.message or false,
  -- `total minutes seconds enforcement`.
  cap = stored.live_cap or false,
  -- As the argument `events`, or `none`.
  events = stored.live_events or false,
  version = tonumber(stored.version) or 0,
  -- Whether the pace is an operator's.
  paced = stored.live_automatic and 1 or 0,
}
-- When each was set, in milliseconds. Of two copies the later one counts, setting by setting, whatever lines they are of.
-- The version before told no times: there the version takes their place.
local SETTINGS = { 'mode', 'pace', 'message', 'cap', 'event' }
local function set_times(version, mode, pace, message, cap, event)
  local times = {
    mode = tonumber(mode) or 0, pace = tonumber(pace) or 0, message = tonumber(message) or 0, cap = tonumber(cap) or 0,
    event = tonumber(event) or 0,
  }
  if version > 0 and times.mode + times.pace + times.message + times.cap + times.event == 0 then
    for _, name in ipairs(SETTINGS) do
      times[name] = version
    end
  end
  return times
end
-- What that version took over from a copy has no time here either.
live.set_at = set_times(live.version, stored.mode_at or stored.mode and live.version,
  stored.pace_at or stored.live_automatic and live.version, stored.message_at or stored.message and live.version, stored.cap_at, stored.event_at)
local function budget()
  return live.automatic > 0 and live.quantity or 0
end

-- What an operator set outlives a quiet month.
local function keep_long()
  lifetime = math.max(lifetime, TTL.live)
end
if live.version > 0 then
  keep_long()
end

-- How many visitors wait, in all lanes, each by what the names of its fields begin with.
local lanes = { '', 'front_' }
local function waiting(at)
  local sum = at.length - at.cursor + at.front_length - at.front_cursor
  for i = 3, #lanes do
    sum = sum + (at[lanes[i] .. 'length'] or 0) - (at[lanes[i] .. 'cursor'] or 0)
  end
  return sum
end

-- Adopting a sign happens before a verb; this keeps what the verb itself changes apart from that.
local function remember_before()
  before.drawn, before.admitted, before.claimed = state.drawn, state.admitted, state.claimed
  for _, lane in ipairs(lanes) do
    before[lane .. 'cursor'], before[lane .. 'length'] = state[lane .. 'cursor'], state[lane .. 'length']
  end
end

-- What is as it is by itself is not kept.
local function write_state()
  local changed = {}
  for name, number in pairs(state) do
    -- What is kept of regions is written apart.
    if number ~= (were[name] or NONE[name] or 0) and not (lanes[3] and string.find(name, ' ', 1, true)) then
      table.insert(changed, name)
      table.insert(changed, number)
    end
  end
  for name, text in pairs(texts) do
    if text then
      table.insert(changed, name)
      table.insert(changed, text)
    else
      redis.call('HDEL', key.line, name)
    end
  end
  if #changed > 0 then
    redis.call('HSET', key.line, unpack(changed))
    redis.call('EXPIRE', key.line, lifetime)
  end
end
