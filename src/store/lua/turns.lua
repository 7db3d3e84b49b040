-- Turns: for how long a called number is good for going in. `turns`: `end:served:LANE/ROLL;` of each twelfth of that time in which a lane
-- called, the oldest first: what was served of its roll when the twelfth ended, at that second, or 0 once it has lapsed. It begins with `!` and the
-- second from which no called visitor could go in, while that lasts.
-- They are of use only where the room limits them: with the argument `turn_minutes`.
-- Invariant: no number lapses before its turn has lasted `turn_minutes` in which called visitors could go in. What these data do not
-- know of, such as all that was called before a loss, counts from when they first see it.
-- Gives `begin`, `is_over`, `shown`, `write`.

local call, record = require('call'), require('record')
local mode, lanes, cap = require('mode'), require('lanes'), require('cap')
local state, now, second = record.state, call.now, math.floor(call.now / 1000)

local turns = { life = (tonumber(call.arg.turn_minutes) or 0) * 60, list = {}, over = {} }
turns.part = math.ceil(turns.life / 12)
turns.still_since = tonumber(string.match(record.stored.turns or '', '^!(%d+);'))
for ends, served, name in string.gmatch(record.stored.turns or '', '(%d+):(%d+):([^;]*);') do
  if record.stretches[name] then
    table.insert(turns.list, { ends = tonumber(ends), served = tonumber(served), name = name })
  end
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
      turns.over[turn.name] = math.max(turns.over[turn.name] or 0, turn.served)
    end
  end
end
function turns.is_over(place)
  return place.number <= (turns.over[place.of.name] or 0)
end
-- For the board: the last such number of each stretch in which numbers have lapsed.
function turns.shown()
  local list = {}
  for _, lane in ipairs(lanes.list) do
    for _, of in ipairs(lane.stretches) do
      if turns.over[of.name] then
        table.insert(list, { last = turns.over[of.name], lane = lane ~= lanes.main and lane.name or nil, born = of.born })
      end
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
    latest[turn.name] = turn
  end
  for _, lane in ipairs(lanes.list) do
    for _, of in ipairs(lane.stretches) do
      local last = latest[of.name]
      if last and second <= last.ends then
        last.served = math.max(last.served, of.served)
      elseif of.served > (last and last.served or 0) then
        table.insert(turns.list, { ends = second + turns.part, served = of.served, name = of.name })
      end
    end
  end
  -- Without those that lapse with a later one, or have lapsed before another.
  latest = {}
  for at = #turns.list, 1, -1 do
    local turn = turns.list[at]
    if turn.ends < (latest[turn.name] or math.huge) then
      latest[turn.name] = turn.ends
      table.insert(words, 1, string.format('%d:%d:%s;', turn.ends, turn.served, turn.name))
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
