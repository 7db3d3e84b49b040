-- What last made the line slower, as the text `slowed`: `CAUSE FROM TO`, in milliseconds; TO is 0 for what goes on. What is over is
-- forgotten, but for a time in which the line stood: that has made the wait longer. `stood` is since when the line stands, as `CAUSE FROM`.
-- Gives `judge`, `stand`, `narrow`, `follow_groups`, `take`.

local call, record, live, lanes = require('call'), require('record'), require('live'), require('lanes')
local state, stored, texts, now = record.state, record.stored, record.texts, call.now

local function read()
  local cause, from = string.match(record.text_of('slowed') or '', '^(%l+) (%d+) %d+$')
  return cause, tonumber(from)
end
local function note(cause, from, to)
  texts.slowed = string.format('%s %d %d', cause, from, to)
end
local function forget(cause)
  if read() == cause then
    texts.slowed = false
  end
end

-- By so much that a wait is late by it: `queue/wait.rs` has the same measure.
local function is_slower(was, is)
  return is * 4 < was * 3
end
-- Pace or cap was one and is another.
local function judge(cause, was, is)
  if record.is_new then
    return
  elseif is_slower(was, is) then
    note(cause, now, 0)
  elseif is > was then
    forget(cause)
  end
end
-- `cause`: why the line stands, nil where it moves. By less than half a minute no wait is late.
local function stand(cause)
  local kept, from = string.match(stored.stood or '', '^(%l+) (%d+)$')
  if cause and not kept then
    texts.stood = string.format('%s %d', cause, now)
  elseif cause == 'hold' and kept == 'sick' then
    texts.stood = 'hold ' .. from
  elseif not cause and kept then
    texts.stood = false
    if now - from >= 30000 then
      note(kept, from, now)
    end
  end
end
-- The window has changed: from one size to another, of those that the pace has.
local function narrow(was, is)
  local whole = live.budget() * 1000
  local was_slow, is_slow = is_slower(whole, was), is_slower(whole, is)
  if is_slow and not was_slow then
    note('origin', now, 0)
  elseif was_slow and not is_slow then
    forget('origin')
  end
end
-- Visitors of groups wait after none did for ten minutes, and have so much together that this makes others late. In a time without a verb
-- those who waited before it go on waiting, and of data that have just begun nobody knows since when.
local function follow_groups()
  local waiting, rest = 0, 100
  for _, lane in ipairs(lanes.groups) do
    waiting, rest = waiting + lanes.waiting_in(lane), rest - lane.percent
  end
  if waiting == 0 and call.minute - state.grouped > 10 then
    forget('groups')
  elseif waiting > 0 then
    if state.minute - state.grouped > 10 and is_slower(100, rest) then
      note('groups', now, 0)
    end
    state.grouped = call.minute
  end
end
-- What a copy of the board says to data that lost it.
local function take(text)
  local _, from = read()
  local told = string.match(text, '^%l+ (%d+) %d+$')
  if told and tonumber(told) > (from or 0) then
    texts.slowed = text
  end
end

return { judge = judge, stand = stand, narrow = narrow, follow_groups = follow_groups, take = take }
