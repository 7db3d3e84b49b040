-- What every verb begins with: the state of the line, and the few ways it may move.
-- KEYS[1] the line (a hash), KEYS[2] the memory of one draw.
-- ARGV[1] start of the current period (seconds, from the edge's clock), ARGV[2] its budget (0 = off),
-- ARGV[3] seconds after which an untouched line is forgotten, ARGV[4] that clock in milliseconds,
-- ARGV[5] the length of a period in seconds (0 = off).
-- Invariant: cursor never falls and never passes length.
local line, memory = KEYS[1], KEYS[2]
local period, budget, lifetime = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now, automatic = tonumber(ARGV[4]), tonumber(ARGV[5])

local fields = { 'epoch', 'cursor', 'length', 'credit', 'period', 'left',
  'automatic', 'budget', 'since', 'from', 'mid', 'mid_from', 'moved' }
local stored = redis.call('HMGET', line, unpack(fields))
local function read(index, otherwise)
  return tonumber(stored[index]) or otherwise
end
local epoch, cursor, length, credit = read(1, 1), read(2, 0), read(3, 0), read(4, 0)
local opened, left = read(5, -1), read(6, 0)

-- The rate is measured from release to release: `from` is where the cursor stood right after the one at `since`, `moved`
-- is when the latest one was. `mid` and `mid_from` are a younger beginning, which takes over once it is a window old, so
-- that what was longer ago than two windows does not count.
local window = 300000
local since, from, mid, mid_from, moved = read(9, 0), read(10, 0), read(11, 0), read(12, 0), read(13, 0)

local function forget_rate()
  since, from, mid, mid_from, moved = 0, 0, 0, 0, 0
end

-- What was measured at another pace says nothing about this one, nor does what was before somebody wrote the cursor back.
if read(7, 0) ~= automatic or read(8, 0) ~= budget or cursor < from then
  forget_rate()
end

-- The first verb that sees a period opens it. What the last one left over is not banked.
local function open_period()
  if period > opened then
    opened, left = period, budget
  end
  left = math.min(left, budget)
end

local admitted = 0
local function admit(most)
  local released = math.min(most, length - cursor)
  cursor = cursor + released
  admitted = admitted + released
  return released
end

-- Credit goes first: it was granted by name, the budget is only the pace.
local function release()
  credit = credit - admit(credit)
  left = left - admit(left)
end

-- A repeat within a minute (an answer was lost on its way) gets the number it got before.
local function draw()
  local before = redis.call('GET', memory)
  if before then
    local drawn_in, number = string.match(before, '^(%d+):(%d+)$')
    if tonumber(drawn_in) == epoch and tonumber(number) <= length then
      return tonumber(number)
    end
  end
  length = length + 1
  redis.call('SET', memory, string.format('%d:%d', epoch, length), 'EX', 60)
  return length
end

-- Who waits goes first, the number is drawn, and it may use what budget is left.
local function arrive()
  release()
  local position = draw()
  release()
  return position
end

-- Only while somebody is left waiting does the line move as fast as it can.
local function measure()
  if cursor == length then
    forget_rate()
  elseif admitted > 0 then
    -- Data centres' clocks differ; measured time does not run backwards.
    moved = math.max(now, moved)
    if since == 0 then
      since, from, mid, mid_from = moved, cursor, moved, cursor
    elseif moved - mid >= window then
      since, from, mid, mid_from = mid, mid_from, moved, cursor
    end
  end
end

local function save()
  measure()
  local values = { epoch, cursor, length, credit, opened, left,
    automatic, budget, since, from, mid, mid_from, moved }
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

-- `number` is the visitor's position, or what a permit released. Then what was measured: so many admitted in so many
-- milliseconds, the latest at that time.
local function answer(number)
  local released = since > 0 and cursor - from or 0
  return { epoch, cursor, length, credit, number, released, moved - since, moved }
end
