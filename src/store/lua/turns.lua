-- Turns: for how long a called number is good for going in. `turns`: `end:cursor:lane;` of each twelfth of that time in which a lane
-- called, the oldest first: its cursor when the twelfth ended, at that second, or 0 once it has lapsed. It begins with `!` and the
-- second from which no called visitor could go in, while that lasts.
-- They are of use only where the room limits them: with the argument `turn_minutes`.
-- Invariant: no number lapses before its turn has lasted `turn_minutes` in which called visitors could go in. What these data do not
-- know of, such as all that was called before a loss, counts from when they first see it.
-- Gives `begin`, `is_over`, `forget`, `shown`, `write`.

local call, record = require('call'), require('record')
local mode, lanes, cap = require('mode'), require('lanes'), require('cap')
local state, now, second = record.state, call.now, math.floor(call.now / 1000)

local turns = { life = (tonumber(call.arg.turn_minutes) or 0) * 60, list = {}, over = {} }
turns.part = math.ceil(turns.life / 12)
turns.still_since = tonumber(string.match(record.stored.turns or '', '^!(%d+);'))
for ends, cursor, lane in string.gmatch(record.stored.turns or '', '(%d+):(%d+):([^;]*);') do
  table.insert(turns.list, { ends = tonumber(ends), cursor = tonumber(cursor), lane = lane })
end

-- Of one lane or, where numbers move, of all.
function turns.forget(lane)
  local kept = {}
  for _, turn in ipairs(turns.list) do
    if lane and turn.lane ~= lane.name then
      table.insert(kept, turn)
    end
  end
  turns.list, turns.over, turns.still_since = kept, {}, nil
end

-- While no called visitor can go in, also because the room is full, the time stands still; so it does where the clock is set back.
function turns.stand_still()
  return not mode.lets_in() or now < state.quiet or cap.is_enforced() and require('sessions').claimable() == 0
end
-- Which numbers have lapsed.
function turns.begin()
  local still = math.max(second - (turns.still_since or second), 0)
  for _, turn in ipairs(turns.life > 0 and turns.list or {}) do
    if turn.ends > 0 then
      turn.ends = math.min(turn.ends + still, second + turns.part)
    end
    if turn.ends == 0 or second >= turn.ends + turns.life and not turns.stand_still() then
      turn.ends = 0
      turns.over[turn.lane] = math.max(turns.over[turn.lane] or 0, turn.cursor)
    end
  end
end
function turns.is_over(lane, number)
  return number <= (turns.over[lane.name] or 0)
end
-- For the board: the last such number of each lane in which numbers have lapsed.
function turns.shown()
  local list = {}
  for _, lane in ipairs(lanes.list) do
    if turns.over[lane.name] then
      table.insert(list, { last = turns.over[lane.name], lane = lane ~= lanes.main and lane.name or nil })
    end
  end
  return list[1] and list or nil
end

function turns.write()
  if turns.life == 0 then
    return
  end
  local latest, words = {}, {}
  local is_still = turns.stand_still()
  -- What is written says since when it stands still.
  if is_still and turns.still_since and turns.still_since <= second then
    return
  end
  for _, turn in ipairs(turns.list) do
    latest[turn.lane] = turn
  end
  for _, lane in ipairs(lanes.list) do
    local last, cursor = latest[lane.name], lane.cursor
    if last and second <= last.ends then
      last.cursor = math.max(last.cursor, cursor)
    elseif cursor > (last and last.cursor or 0) then
      table.insert(turns.list, { ends = second + turns.part, cursor = cursor, lane = lane.name })
    end
  end
  -- Without those that lapse with a later one, or have lapsed before another.
  latest = {}
  for at = #turns.list, 1, -1 do
    local turn = turns.list[at]
    if turn.ends < (latest[turn.lane] or math.huge) then
      latest[turn.lane] = turn.ends
      table.insert(words, 1, string.format('%d:%d:%s;', turn.ends, turn.cursor, turn.lane))
    end
  end
  if words[1] and is_still then
    table.insert(words, 1, string.format('!%d;', second))
  end
  local written = table.concat(words)
  if written ~= (record.stored.turns or '') then
    record.texts.turns = written
  end
end

return turns
