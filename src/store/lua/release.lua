-- The ways the line may move: periods, credit, an open room; and how a number is drawn.

-- The second at which the period of a time began. Numbers of periods of different lengths cannot be compared: after a change
-- of pace the line would stand still or release twice. Starting times only go forward.
local LONGEST_CATCH_UP = 30
local function period_start(time)
  local automatic = live.automatic
  return automatic > 0 and math.max(math.ceil(time / (automatic * 1000)) - 1, 0) * automatic or 0
end

-- The first verb that sees a period opens it, and while visitors wait also the periods that no verb saw, up to 30 seconds'
-- worth, since `anchor`: the change of pace, the end of hold, closed or a loss, or the moment a visitor began to wait.
-- The remainder of a period is not banked, nor are periods of an empty line or on hold.
local function open_period()
  local period = period_start(now)
  if period <= state.period or live.mode ~= 'automatic' or now < state.quiet then
    return
  end
  local many = 1
  if live.automatic > 0 and before.cursor < before.length then
    local missed = math.floor((period - math.max(state.period, period_start(state.anchor))) / live.automatic)
    many = math.max(1, math.min(missed, math.floor(LONGEST_CATCH_UP / live.automatic)))
  end
  state.period, state.left = period, many * budget()
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
  elseif live.mode == 'automatic' and now >= state.quiet then
    state.credit = state.credit - admit(state.credit)
    -- Missed periods are for visitors who waited through them: what is left is at most one period's.
    state.left = math.min(state.left - admit(state.left), budget())
  end
end

-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room gives no new number: 0.
local function draw()
  local born, epoch, position = string.match(redis.call('GET', key.draw) or '', '^(%d+):(%d+):(%d+)$')
  local number = born and number_of({ born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) })
  if number then
    redis.call('EXPIRE', key.draw, TTL.draw)
    return number
  end
  if live.mode == 'closed' then
    return 0
  end
  count_draw()
  state.length, state.drawn = state.length + 1, state.drawn + 1
  local birth, own = named(state.length)
  redis.call('SET', key.draw, string.format('%d:%d:%d', birth, birth == state.born and state.epoch or 1, own), 'EX', TTL.draw)
  return state.length
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget.
local function arrive()
  release()
  local position = draw()
  release()
  return position
end
