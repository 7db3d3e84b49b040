-- The arguments, the state of the line by field name, and how the state is written back.
-- ARGV[1] names the keys in their order; the other arguments are pairs of name and value.
-- Invariant: the cursor never falls and never passes the length.
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
  hour = 7200, counts = 2592000, till = 604800, draw = 300, again = 86400, once = 86400, actions = 604800, live = 2592000, pops = 180, network = 3600,
}
local lifetime = tonumber(arg.lifetime)

-- The store's own clock decides, in milliseconds: the clock of a POP may be wrong. An argument replaces it in tests.
local now = tonumber(arg.now)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local this_minute = math.floor(now / 60000)

local DEFAULTS = {
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
  -- What was born until then does not move, nor come back: see birth.lua.
  settled = 0,
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
  -- Sessions that were to end before `floor` ended with all tickets.
  capped = 0, cap_since = 0, first_end = 0, recount = 0, ring_told = 0, floor = 0,
  -- The latest minute in which the ring came to owe sessions: see sessions.lua. The version of the list of ended sessions, and the
  -- last minute of those on it: see ended.lua.
  owed = 0, ended = 0, ended_last = 0,
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
  heard_ok = 0, heard_late = 0, heard_bad = 0, heard_at = 0, sick_until = 0, overruled = 0,
  -- How many visitors went in by an invitation: in the minute `invited_at`, and in all.
  invited_at = 0, invited_now = 0, invited = 0,
  -- The front lane: its numbers, those drawn in spans of four seconds, and by how much it is ahead of its share, in hundredths of a
  -- visitor: see release.lua.
  front_cursor = 0, front_length = 0, front_window = 0, front_window_from = 0, front_window_last = 0, front_over = 0,
  -- How many POPs renewed the sign lately; 0 is unknown.
  pops = 0,
}
local FIELDS = {}
for name in pairs(DEFAULTS) do
  table.insert(FIELDS, name)
end
table.sort(FIELDS)

-- Fields that are no numbers, and change: a text, or false for none.
local texts = {}
local state, before, is_new = {}, {}, true
local stored = redis.call('HMGET', key.line, unpack(FIELDS))
for i, name in ipairs(FIELDS) do
  is_new = is_new and not stored[i]
  state[name] = tonumber(stored[i]) or DEFAULTS[name]
end

-- What an operator set takes precedence over the configuration. A message can be set to nothing, which differs from not
-- being set.
local set = redis.call('HMGET', key.line, 'mode', 'live_automatic', 'live_quantity', 'message', 'version', 'splices', 'proofs',
  'mode_at', 'pace_at', 'message_at', 'ring', 'promises', 'release',
  'live_cap', 'cap_at', 'sickness', 'base_groups', 'event', 'live_events', 'event_at', 'journal', 'regions')
is_new = is_new and not set[5]
local live = {
  mode = set[1] or 'automatic',
  automatic = tonumber(set[2] or arg.automatic),
  quantity = tonumber(set[3] or arg.quantity),
  message = set[4],
  -- `total minutes seconds enforcement`.
  cap = set[14],
  -- As the argument `events`, or `none`.
  events = set[19],
  version = tonumber(set[5]) or 0,
  -- Whether the pace is an operator's.
  paced = set[2] and 1 or 0,
}
-- When each was set, in milliseconds. Of two copies the later one counts, setting by setting, whatever lines they are of.
-- The version before told no times: there the version takes their place.
local SETTINGS = { 'mode', 'pace', 'message', 'cap', 'event' }
local function set_times(version, ...)
  local times, is_told = {}, false
  for i, name in ipairs(SETTINGS) do
    times[name] = tonumber((select(i, ...))) or 0
    is_told = is_told or times[name] > 0
  end
  for _, name in ipairs(SETTINGS) do
    times[name] = is_told and times[name] or version
  end
  return times
end
-- What that version took over from a copy has no time here either.
live.set_at = set_times(live.version, set[8] or set[1] and live.version, set[9] or set[2] and live.version,
  set[10] or set[4] and live.version, set[15], set[20])
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

-- Adopting a sign happens before a verb; this keeps what the verb itself changes apart from that.
local function remember_before()
  for name, value in pairs(state) do
    before[name] = value
  end
end

-- How many visitors wait, in all lanes, each by what the names of its fields begin with.
local lanes = { '', 'front_' }
local function waiting(at)
  local sum = 0
  for _, lane in ipairs(lanes) do
    sum = sum + (at[lane .. 'length'] or 0) - (at[lane .. 'cursor'] or 0)
  end
  return sum
end

local function write_state()
  local changed = {}
  for i, name in ipairs(FIELDS) do
    if tonumber(stored[i]) ~= state[name] then
      table.insert(changed, name)
      table.insert(changed, state[name])
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
