-- The pace: which period a time is in, and which periods a verb opens.
-- Gives `open_period`.

local call, record, live = require('call'), require('record'), require('live')
local health, mode, lanes, absent = require('health'), require('mode'), require('lanes'), require('absent')
local state, now = record.state, call.now
local LONGEST_MADE_UP = 15

-- The second at which the period of a time began. Numbers of periods of different lengths cannot be compared: after a change
-- of pace the line would stand still or release twice. Starting times only go forward.
local function period_start(time)
  local automatic = live.automatic
  return automatic > 0 and math.max(math.ceil(time / (automatic * 1000)) - 1, 0) * automatic or 0
end

-- The first verb that sees a period opens it, and while visitors wait also the one before it, if that is no longer than 15 seconds
-- and no verb saw it: pages that poll seldom cost no pace. More is not made up for: after an outage it would go in at once, though
-- POPs have let visitors in meanwhile. What was missed counts since `anchor`: the change of pace, the end of hold, closed or a loss,
-- or the moment a visitor began to wait. The remainder of a period is not banked, nor are periods of an empty line or on hold.
local function open_period()
  local period = period_start(now)
  -- A clock that was set back. Less than a period is waited for, so that none is opened twice.
  if state.period - now / 1000 > math.min(live.automatic, 60) then
    state.period = period
  end
  if period <= state.period or mode.now() ~= 'automatic' or now < state.quiet then
    return
  end
  local many = 1
  if live.automatic > 0 and live.automatic <= LONGEST_MADE_UP and lanes.before.waiting > 0 then
    local since = math.max(state.period, period_start(math.max(state.anchor, state.quiet)))
    many = period - since >= 2 * live.automatic and 2 or 1
  end
  if call.key.limits then
    require('parts').open(period, many)
  end
  local is_watched = health.setting and live.budget() > 0
  local budget = is_watched and require('window').budget(many, period) or many * live.budget()
  state.period, state.left = period, absent.compensate(budget)
  -- From now on released visitors say something about the window.
  if state.w_open == 0 and math.floor(now / 1000) >= state.w_from then
    state.w_open = 1
    for _, of in pairs(record.stretches) do
      of.cut = of.served
    end
  end
end

return { open_period = open_period }
