-- What every verb begins with: the state of the line, and the few ways it may move.
-- KEYS[1] the line (a hash), KEYS[2] its last hour (a list), the verb's own from KEYS[3].
-- ARGV[1] the edge's clock in milliseconds, ARGV[2] the configured length of a period in seconds (0 = off), ARGV[3] its
-- budget, ARGV[4] seconds after which an untouched line is forgotten, the verb's own from ARGV[5].
-- Invariant: cursor never falls and never passes length.
local line, hour = KEYS[1], KEYS[2]
local now, lifetime = tonumber(ARGV[1]), tonumber(ARGV[4])

local fields = { 'epoch', 'cursor', 'length', 'credit', 'period', 'left',
  'automatic', 'budget', 'since', 'from', 'mid', 'mid_from', 'moved', 'drawn', 'admitted', 'minute' }
local stored = redis.call('HMGET', line, unpack(fields))
local function read(index, otherwise)
  return tonumber(stored[index]) or otherwise
end
local epoch, cursor, length, credit = read(1, 1), read(2, 0), read(3, 0), read(4, 0)
local opened, left = read(5, -1), read(6, 0)
local drawn, admitted, minute = read(14, 0), read(15, 0), read(16, 0)

-- What an operator set goes before what is configured. A message may be set to nothing, which is not the same as not set.
local set = redis.call('HMGET', line, 'mode', 'live_automatic', 'live_quantity', 'message', 'version')
local mode, message, version = set[1] or 'automatic', set[4], tonumber(set[5]) or 0
local automatic = tonumber(set[2] or ARGV[2])
local quantity = tonumber(set[3] or ARGV[3])
local budget = automatic > 0 and quantity or 0
-- What an operator set outlives a quiet month.
local function keep_long()
  lifetime = math.max(lifetime, 2592000)
end
if version > 0 then
  keep_long()
end

-- The second at which the current period began. Numbers of periods of different lengths cannot be compared, and the line
-- would stand still or release twice after a change of pace; starting times only ever go forward.
local function period_start()
  return automatic > 0 and math.max(math.ceil(now / (automatic * 1000)) - 1, 0) * automatic or 0
end

-- The rate is measured from release to release: `from` is where the cursor stood right after the one at `since`, `moved`
-- is when the latest one was. `mid` and `mid_from` are a younger beginning, which takes over once it is a window old, so
-- that what was longer ago than two windows does not count.
local window = 300000
local since, from, mid, mid_from, moved = read(9, 0), read(10, 0), read(11, 0), read(12, 0), read(13, 0)

local function forget_rate()
  since, from, mid, mid_from, moved = 0, 0, 0, 0, 0
end

-- What was measured at another pace says nothing about this one, nor does what was before somebody wrote the cursor back.
local function judge_rate()
  if read(7, 0) ~= automatic or read(8, 0) ~= budget or cursor < from then
    forget_rate()
  end
end
judge_rate()

-- The first verb that sees a period opens it. What the last one left over is not banked, nor what passes on hold.
local function open_period()
  local period = period_start()
  if period > opened and mode == 'automatic' then
    opened, left = period, budget
  end
  left = math.min(left, budget)
end

local function admit(most)
  local released = math.min(most, length - cursor)
  cursor = cursor + released
  admitted = admitted + released
  return released
end

-- Credit goes first: it was granted by name, the budget is only the pace. An open room lets everybody in and uses up
-- neither; on hold and closed nobody goes in.
local function release()
  if mode == 'open' then
    admit(length)
  elseif mode == 'automatic' then
    credit = credit - admit(credit)
    left = left - admit(left)
  end
end

-- A repeat within a minute (an answer was lost on its way) gets the number it got before. While the room is closed
-- nobody gets a new one: 0.
local function draw(memory)
  local before = redis.call('GET', memory)
  if before then
    local drawn_in, number = string.match(before, '^(%d+):(%d+)$')
    if tonumber(drawn_in) == epoch and tonumber(number) <= length then
      return tonumber(number)
    end
  end
  if mode == 'closed' then
    return 0
  end
  length, drawn = length + 1, drawn + 1
  redis.call('SET', memory, string.format('%d:%d', epoch, length), 'EX', 60)
  return length
end

-- Who waits goes first, the number is drawn, and it may use what budget is left.
local function arrive(memory)
  release()
  local position = draw(memory)
  release()
  return position
end

-- Only while somebody is left waiting does the line move as fast as it can.
local function measure()
  if cursor == length then
    forget_rate()
  elseif admitted > read(15, 0) then
    -- Data centres' clocks differ; measured time does not run backwards.
    moved = math.max(now, moved)
    if since == 0 then
      since, from, mid, mid_from = moved, cursor, moved, cursor
    elseif moved - mid >= window then
      since, from, mid, mid_from = mid, mid_from, moved, cursor
    end
  end
end

-- The first verb of a minute writes down how the last one that saw any ended: how many waited, and the counts so far.
local function remember_minute()
  local this = math.floor(now / 60000)
  if this <= minute then
    return
  end
  if minute > 0 then
    local figures = { minute, read(3, 0) - read(2, 0), read(14, 0), read(15, 0) }
    redis.call('LPUSH', hour, table.concat(figures, ' '))
    redis.call('LTRIM', hour, 0, 60)
    redis.call('EXPIRE', hour, 7200)
  end
  minute = this
end

local function save()
  measure()
  remember_minute()
  local values = { epoch, cursor, length, credit, opened, left,
    automatic, budget, since, from, mid, mid_from, moved, drawn, admitted, minute }
  local changed = {}
  for i, field in ipairs(fields) do
    if tonumber(stored[i]) ~= values[i] then
      table.insert(changed, field)
      table.insert(changed, values[i])
    end
  end
  if #changed > 0 then
    redis.call('HSET', line, unpack(changed))
    redis.call('EXPIRE', line, lifetime)
  end
end

-- What data centres counted. KEYS[key] is the sum (a hash), the keys after it hold the number of each till's last batch; from
-- ARGV[word] on come the number and the counts of each, as 'name=number name=number'. An answer may be lost and the batch
-- be sent again: every number counts once.
local function count(key, word)
  for till = key + 1, #KEYS do
    local number, counts = tonumber(ARGV[word]), ARGV[word + 1]
    word = word + 2
    if number > tonumber(redis.call('GET', KEYS[till]) or 0) then
      for name, by in string.gmatch(counts, '([%w_]+)=(%d+)') do
        redis.call('HINCRBY', KEYS[key], name, by)
      end
      redis.call('EXPIRE', KEYS[key], 2592000)
      redis.call('SET', KEYS[till], number, 'EX', 604800)
    end
  end
end

-- `number` is the visitor's position, or what a permit released. Then what was measured: so many admitted in so many
-- milliseconds, the latest at that time. Then what an operator may have set, and what was counted.
local function answer(number)
  local released = since > 0 and cursor - from or 0
  return { epoch, cursor, length, credit, number, released, moved - since, moved,
    automatic, quantity, version, drawn, admitted, mode, message }
end
