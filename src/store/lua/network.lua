-- How many numbers one network may draw in an hour, which begins with the first of them, and what each number above that costs.
-- The n-th above it costs n times the calculation of the first, or a wait: those numbers are drawn one a minute, whoever waits.
-- In an open room a number is no place in a line, so it is never held back.
-- Gives `lets_draw`.

local call, mode = require('call'), require('mode')
local arg, now, TTL = call.arg, call.now, call.TTL

local most, rule = string.match(arg.bound or '', '^(%d+) (%a+)$')
-- A visitor who does not calculate is told when to come: ten minutes from now at first, a minute behind the last one who was told,
-- and at most an hour from now, so that visitors who never come do not keep others away. A wait that is over is
-- good for five minutes, and so is a minute in which no visitor drew, so one who comes late holds no other up.
local FIRST, EACH, LONGEST, LATE = 600000, 60000, 3600000, 300000

-- What the visitor has done: up to which place the calculation is enough, and the wait in its place (none, begun, over).
local paid, wait = string.match(arg.effort or '0 none', '^(%d+) (%a+)$')
paid = tonumber(paid)

-- `ends`: the end of the network's hour; `many`: its numbers in it; `free`: when the next one is drawn by waiting; `told`: for
-- when the last one who waits was told to come.
local function numbers_of(known)
  local ends, many, free, told = string.match(known, '^(%d+) (%d+) ?(%d*) ?(%d*)$')
  return tonumber(ends) or 0, tonumber(many) or 0, tonumber(free) or 0, tonumber(told) or 0
end

-- Whether a number may be drawn, whether a calculation buys it, whether it is above the bound (`drawn` or `challenged`), and what it
-- costs then.
local function lets_draw()
  local key = call.key.network
  local known = redis.pcall('GET', key)
  local ends, many, free, told = numbers_of(type(known) == 'string' and known or '')
  -- A clock that was set back: what lies further ahead than it may is nothing that this hour has told.
  if now >= ends or ends > now + TTL.network * 1000 then
    ends, many = now + TTL.network * 1000, 0
  end
  free = free > now + EACH and now or free
  local above = many + 1 - tonumber(most)
  local lets, pays, price = true, false, nil
  if above > 0 and rule == 'on' and mode.now() ~= 'open' then
    -- A calculation buys one number: after that the memory of the draw says that it was used.
    if paid >= above and not require('memory').is_paid() then
      pays = true
    elseif wait == 'over' and now >= free then
      free = math.max(free, now - LATE) + EACH
    else
      lets = false
    end
  end
  if lets then
    many = many + 1
  elseif wait ~= 'begun' then
    told = math.min(math.max(now + (wait == 'over' and EACH or FIRST), told + EACH), now + LONGEST)
  end
  if not lets then
    price = string.format('%d %d', above, wait == 'begun' and 0 or math.ceil((told - now) / 1000))
  end
  -- A key of another type is replaced.
  redis.call('SET', key, string.format('%d %d %d %d', ends, many, free, told), 'EX', TTL.network)
  return lets, pays, above > 0 and (lets and 'drawn' or 'challenged') or nil, price
end

return { lets_draw = lets_draw }
