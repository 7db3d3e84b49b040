-- Called visitors who do not come. How many that are is measured in turnout.lua.
-- Gives `compensate`, `most_kept`, `counts_are_late`, `watch`.

local call, state, live = require('call'), require('record').state, require('live')
local health, mode = require('health'), require('mode')

-- A budget in per mille. With the setting `on` it is raised by the measured share, so that as many come as it has; at most
-- half as much is added. A period longer than a minute is one lump, and what is measured of it is chance.
local function raised(amount)
  local is_on = call.arg.absent == 'on' and live.automatic <= 60
  local present = 1000 - (is_on and math.min(math.max(state.absent, 0), 1000) or 0)
  return math.floor(math.min(amount * 1500, amount * 1000000 / present))
end
-- The budget with which a period is opened; the remainder is for the next one.
local function compensate(amount)
  local all = raised(amount) + state.carry
  state.carry = all % 1000
  return math.floor(all / 1000)
end
-- The most that can be left of a period.
local function most_kept()
  return math.ceil(raised(health.most_in_period()) / 1000)
end

-- A POP brings its counts within seconds. Half a minute after a release they are late, and the share says nothing.
local function counts_are_late()
  return state.uncounted > 0 and call.now - state.uncounted > 30000
end
-- Since which minute the mode is automatic and the counts come in time. `has_admitted`: this call has admitted visitors.
local function watch(has_admitted)
  if mode.now() ~= 'automatic' or counts_are_late() then
    state.steady = 0
  elseif state.steady == 0 then
    state.steady = call.minute
  end
  if has_admitted and state.uncounted == 0 then
    state.uncounted = call.now
  end
end

return { compensate = compensate, most_kept = most_kept, counts_are_late = counts_are_late, watch = watch }
