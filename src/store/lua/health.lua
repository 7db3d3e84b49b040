-- The origin's health, by the answers that POPs have watched. What this call brings of them is taken in heard.lua, and what the pace
-- learns from them is in window.lua.
-- Gives what the settings say of the origin: `setting`, nil where it is not watched, `min`, `share`, `life`, `least` and `most`;
-- `take_marker`, `is_sick`, `is_steered`, `is_slowed`, `most_window`, `in_period`, `most_in_period`.

local call, state, live = require('call'), require('record').state, require('live')

local health = {}
local adaptive
health.setting, health.min, health.share, health.life, adaptive, health.least, health.most =
  string.match(call.arg.health or '', '^(%a+) (%d+) (%d+) (%d+) (%a+) (%d+) (%d+)$')

-- A room that has the same origin has found it sick, and the POP knows until when. No marker stands longer than a minute, whatever a
-- clock says.
function health.take_marker()
  local told = tonumber(call.arg.sick_until) or 0
  if health.setting and told > math.max(state.sick_until, call.now) and told <= call.now + 60000 then
    state.sick_until = told
  end
end
function health.is_sick()
  return call.now < state.sick_until
end
-- The pace follows the answers.
function health.is_steered()
  return adaptive == 'on'
end
function health.most_window()
  return (health.is_steered() and health.most ~= '0' and tonumber(health.most) or live.quantity) * 1000
end
function health.is_slowed()
  return health.setting and (health.is_steered() or state.w_ramp > 0) and state.w_size > 0 and state.w_size < live.budget() * 1000
end
-- How many visitors a period has.
function health.in_period()
  return health.setting and health.is_steered() and state.w_size > 0 and math.floor(state.w_size / 1000) or live.quantity
end
-- The most that one period can have.
function health.most_in_period()
  return health.is_slowed() and math.ceil(state.w_size / 1000) or live.budget()
end

return health
