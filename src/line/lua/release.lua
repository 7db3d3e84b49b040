-- The ways the line may move: periods, credit, an open room; and how a number is drawn.

-- The second at which the current period began. Numbers of periods of different lengths cannot be compared: after a change
-- of pace the line would stand still or release twice. Starting times only go forward.
local function period_start()
  local automatic = live.automatic
  return automatic > 0 and math.max(math.ceil(now / (automatic * 1000)) - 1, 0) * automatic or 0
end

-- The first verb that sees a period opens it. The remainder of the last period is not banked, nor are periods on hold.
local function open_period()
  local period = period_start()
  if period > state.period and live.mode == 'automatic' then
    state.period, state.left = period, budget()
  end
  state.left = math.min(state.left, budget())
end

local function admit(most)
  local released = math.min(most, state.length - state.cursor)
  state.cursor = state.cursor + released
  state.admitted = state.admitted + released
  return released
end

-- Credit goes first: it was granted by name, the budget is only the pace. An open room admits everybody and uses neither;
-- on hold and closed the line stands.
local function release()
  if live.mode == 'open' then
    admit(state.length)
  elseif live.mode == 'automatic' then
    state.credit = state.credit - admit(state.credit)
    state.left = state.left - admit(state.left)
  end
end

-- A repeated draw (its answer was lost) gets the same number as before. A closed room gives no new number: 0.
local function draw()
  local drawn_before = redis.call('GET', key.draw)
  if drawn_before then
    local epoch, number = string.match(drawn_before, '^(%d+):(%d+)$')
    if tonumber(epoch) == state.epoch and tonumber(number) <= state.length then
      return tonumber(number)
    end
  end
  if live.mode == 'closed' then
    return 0
  end
  state.length, state.drawn = state.length + 1, state.drawn + 1
  redis.call('SET', key.draw, string.format('%d:%d', state.epoch, state.length), 'EX', TTL.draw)
  return state.length
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget.
local function arrive()
  release()
  local position = draw()
  release()
  return position
end
