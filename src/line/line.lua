-- What every verb begins with: the state of the line, and the few ways it may move.
-- KEYS[1] the line (a hash), KEYS[2] the memory of one draw.
-- ARGV[1] start of the current period (seconds, from the edge's clock), ARGV[2] its budget (0 = off),
-- ARGV[3] seconds after which an untouched line is forgotten.
-- Invariant: cursor never falls and never passes length.
local line, memory = KEYS[1], KEYS[2]
local period, budget, lifetime = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])

local stored = redis.call('HMGET', line, 'epoch', 'cursor', 'length', 'credit', 'period', 'left')
local epoch = tonumber(stored[1]) or 1
local cursor = tonumber(stored[2]) or 0
local length = tonumber(stored[3]) or 0
local credit = tonumber(stored[4]) or 0
local opened = tonumber(stored[5]) or -1
local left = tonumber(stored[6]) or 0

-- The first verb that sees a period opens it. What the last one left over is not banked.
local function open_period()
  if period > opened then
    opened, left = period, budget
  end
  left = math.min(left, budget)
end

local function admit(most)
  local released = math.min(most, length - cursor)
  cursor = cursor + released
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

local function save()
  local now = { epoch, cursor, length, credit, opened, left }
  for i = 1, 6 do
    if tonumber(stored[i]) ~= now[i] then
      redis.call('HSET', line, 'epoch', epoch, 'cursor', cursor, 'length', length,
        'credit', credit, 'period', opened, 'left', left)
      redis.call('EXPIRE', line, lifetime)
      return
    end
  end
end

-- `number` is the visitor's position, or what a permit released.
local function answer(number)
  return { epoch, cursor, length, credit, number }
end
