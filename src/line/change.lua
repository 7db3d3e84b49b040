-- change: what operators and the origin's programs do, each of them once.
-- KEYS[3] what operators did (a list), KEYS[4] the memory of this change (a hash), KEYS[5] the memory of a draw.
-- ARGV[5] who, ARGV[6] from where, ARGV[7] 'told' if it belongs among what operators did, ARGV[8] the version of the settings
-- that was seen ('' = any), ARGV[9] a digest of what is asked ('' = may be repeated), ARGV[10] the verb, then its own.
local who, from_where, told, seen, asked, verb = ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10]
local actions, once, memory = KEYS[3], KEYS[4], KEYS[5]

-- The same key again gets the same answer and moves nothing; for something else it is refused.
if asked ~= '' then
  local before = redis.call('HMGET', once, 'asked', 'number', 'epoch', 'cursor', 'length', 'credit',
    'automatic', 'quantity', 'version', 'mode', 'message')
  if before[1] == asked then
    epoch, cursor, length = tonumber(before[3]), tonumber(before[4]), tonumber(before[5])
    credit, automatic, quantity = tonumber(before[6]), tonumber(before[7]), tonumber(before[8])
    version, mode, message = tonumber(before[9]), before[10], before[11]
    return { 'again', answer(tonumber(before[2])) }
  elseif before[1] then
    return { 'reused', answer(0) }
  end
end

local is_setting = verb == 'mode' or verb == 'pace' or verb == 'message'
if is_setting and seen ~= '' and tonumber(seen) ~= version then
  return { 'outdated', answer(0) }
end
if verb == 'permit' and (mode == 'hold' or mode == 'closed') then
  return { 'standing', answer(0) }
end

-- Nothing in ARGV from `first` on: back to what is configured.
local function put(name, first, ...)
  local keep = ARGV[first] ~= nil
  for i, field in ipairs({ ... }) do
    if keep then
      redis.call('HSET', line, field, ARGV[first + i - 1])
    else
      redis.call('HDEL', line, field)
    end
  end
  version = version + 1
  keep_long()
  redis.call('HSET', line, 'version', version, name .. '_at', now, name .. '_by', who)
end

local verbs = {
  permit = function()
    local amount, credit_max = tonumber(ARGV[11]), tonumber(ARGV[12])
    open_period()
    release()
    local released = admit(amount)
    credit = math.max(credit, math.min(credit_max, credit + amount - released))
    return released
  end,
  mode = function()
    mode = ARGV[11]
    put('mode', 11, 'mode')
    open_period()
    local before = cursor
    release()
    return cursor - before
  end,
  pace = function()
    put('pace', 11, 'live_automatic', 'live_quantity')
    automatic = tonumber(ARGV[11] or ARGV[2])
    quantity = tonumber(ARGV[12] or ARGV[3])
    budget = automatic > 0 and quantity or 0
    judge_rate()
    open_period()
    release()
    return 0
  end,
  message = function()
    put('message', 11, 'message')
    message = ARGV[11] or false
    return 0
  end,
  credit = function()
    local cleared = credit
    credit = 0
    return cleared
  end,
  -- The numbers of those who wait end with it and are never served, so the sign passes them.
  epoch = function()
    local waiting = length - cursor
    epoch, cursor, credit = epoch + 1, length, 0
    forget_rate()
    return waiting
  end,
  draw = function()
    open_period()
    return arrive(memory)
  end,
}
verbs.jump = verbs.draw

local number = verbs[verb]()
save()
redis.call('EXPIRE', line, lifetime)
if told == 'told' then
  local words = { now, who, from_where, verb, number, ARGV[11] or '', ARGV[12] or '' }
  redis.call('LPUSH', actions, table.concat(words, '\n'))
  redis.call('LTRIM', actions, 0, 49)
  redis.call('EXPIRE', actions, math.max(lifetime, 604800))
end
if asked ~= '' then
  redis.call('HSET', once, 'asked', asked, 'number', number, 'epoch', epoch, 'cursor', cursor, 'length', length,
    'credit', credit, 'automatic', automatic, 'quantity', quantity, 'version', version, 'mode', mode)
  if message then
    redis.call('HSET', once, 'message', message)
  end
  redis.call('EXPIRE', once, 86400)
end
return { 'done', answer(number) }
