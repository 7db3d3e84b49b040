-- trace: the line of the journal that a head is the digest of, and the one that called a number; changes nothing.
-- Keys: `line`, `journal`. Arguments: `trace_head`, and `trace_signed`, the second at which a ticket with it was signed; `trace_born` and
-- `trace_position` of a ticket, and the name of its `lane`.
-- Answer: `traced` and `called`, the two lines where they are found; `traced_sum` = 'yes' where the journal has the sum of lanes alone.
-- Invariant: no more than a thousand lines are read, however long the journal is. Both lines are found by bisection: the first by the
-- time at which the ticket was signed, the second by the cursor.

local call, record, lanes = require('call'), require('record'), require('lanes')
local ticket, answer = require('ticket'), require('answer').answer
local arg, key, stored = call.arg, call.key, record.stored
local NEAR, PAGE, SKEW = 1000, 100, 10000

local asked = { born = tonumber(arg.trace_born), position = tonumber(arg.trace_position) }
local lane = lanes.of(arg.lane or 'main')
-- Of regions the journal has the sum alone, which says of no number whether it was called.
local is_told = arg.trace_position and lanes.is_told(lane)
local place = is_told and ticket.place_in(lane, asked) or nil
-- Older rolls go first, so their numbers are before it in the sum. Where some of a younger one were called too, before this one came in,
-- the sum says of none which line called it.
for _, of in ipairs(place and lanes.of(place.of.lane).stretches or {}) do
  is_told = is_told and (of.born <= place.of.born or of.served == 0)
end
place = is_told and place or nil
local is_called, number = place and lanes.is_called(place), place and lanes.position(place)
local function lines_at(from, to)
  return redis.call('LRANGE', key.journal, from, to)
end
local last, digest = string.match(stored.journal or '', '^(%d+) (%x+) ')
local oldest = string.match(lines_at(-1, -1)[1] or '', '^%x+ (%d+) ')
-- Lines are counted from the oldest that there is. Where the list lost some, the first places are empty.
local many = oldest and last and last - oldest + 1 or 0
local function line_at(nth)
  return nth > 0 and nth <= many and lines_at(many - nth, many - nth)[1] or nil
end
-- The first line for which this holds, as it does for all behind it; one behind the last where it holds for none.
local function first(holds)
  local from, to = 1, many + 1
  while from < to do
    local middle = math.floor((from + to) / 2)
    if holds(line_at(middle) or '') then
      to = middle
    else
      from = middle + 1
    end
  end
  return from
end

-- Each line begins with the digest of the one before. A copy of the board may have known an older head, and the clock that signed may be
-- wrong by some seconds.
local function find_head()
  if string.sub(digest, 1, 16) == arg.trace_head then
    return line_at(many)
  end
  local signed = arg.trace_signed and arg.trace_signed * 1000 + SKEW or call.now
  local newest = math.min(first(function(line)
    return tonumber(string.match(line, '^%x+ %d+ (%d+) ') or 0) > signed
  end), many)
  for page = newest, math.max(newest - NEAR + 1, 1), -PAGE do
    for i, line in ipairs(lines_at(many - page, many - page + PAGE - 1)) do
      if string.sub(line, 1, 16) == arg.trace_head then
        return line_at(page - i)
      end
    end
  end
end
-- What moved the cursor of the number's lane, from where and to where. Up to the line by which the line began or came back the numbers
-- were those of other data, or of other visitors.
local function move_of(line)
  local seq, kind, from, to, groups = string.match(line, '^%x+ (%d+) %d+ (%a+) (%d+) (%d+) %d+ (%S+) ')
  if lane.apart == 1 then
    from, to = nil, nil
    for name, before, after in string.gmatch(groups or '', '([^:,]+):(%d+):(%d+):%d+') do
      if name == lane.name then
        from, to = before, after
      end
    end
  end
  return kind, tonumber(from or 0), seq and tonumber(seq) > (record.were.restored or 0) and tonumber(to or 0) or 0
end
local function find_call()
  local line = line_at(first(function(line)
    local _, _, to = move_of(line)
    return to >= number
  end))
  local kind, from = move_of(line or '')
  return kind and kind ~= 'end' and kind ~= 'event' and from < number and line or nil
end

return function()
  return answer(0, 'traced', digest and arg.trace_head and find_head() or nil, 'called', is_called and find_call() or nil,
    'traced_sum', arg.trace_position and not is_told and 'yes' or nil)
end
