-- The origin's health, by the answers that POPs have watched.
-- What is heard is a part of its own, in heard.lua, and what the pace learns from it is another, in window.lua.

-- What the settings say of the origin.
local health = {}
health.setting, health.min, health.share, health.life, health.adaptive, health.least, health.most =
  string.match(arg.health or '', '^(%a+) (%d+) (%d+) (%d+) (%a+) (%d+) (%d+)$')

local function is_steered()
  return health.adaptive == 'on'
end
local function most_window()
  return (is_steered() and health.most ~= '0' and tonumber(health.most) or live.quantity) * 1000
end
local function settle_cut()
  if state.w_at < 0 and math.floor(now / 1000) >= state.w_from then
    state.w_at = state.cursor
  end
end
local function is_slowed()
  return health.setting and (is_steered() or state.w_ramp > 0) and state.w_size > 0 and state.w_size < budget() * 1000
end
-- The most that one period can have.
local function period_most()
  return is_slowed() and math.ceil(state.w_size / 1000) or budget()
end

local function is_sick()
  return now < state.sick_until
end
-- A room whose origin is sick is on hold by itself, unless an operator has overruled that.
local function is_held()
  return health.setting == 'on' and is_sick() and now >= state.overruled and scheduled_mode() == 'automatic'
end
-- Who goes in now.
local function mode_now()
  return is_held() and 'hold' or scheduled_mode()
end
local function lets_in()
  local mode = mode_now()
  return mode == 'automatic' or mode == 'open'
end

-- While the room is on hold for it, what is missed is not made up for, and the pace begins small afterwards.
local function keep_sick()
  if not is_held() then
    return
  end
  state.left, state.anchor = 0, math.max(state.anchor, state.sick_until)
  if state.w_ramp == 0 then
    use('window').ramp()
  end
end
-- What the sign says of it.
local function tell_health(told)
  if health.setting then
    table.insert(told, 'origin')
    table.insert(told, string.format('%d %d %d %d', is_held() and 1 or 0, state.w_cuts,
      state.w_at < 0 and 2 ^ 53 - 1 or state.w_at, is_slowed() and 1 or 0))
  end
  if texts.sickness then
    table.insert(told, 'sickness')
    table.insert(told, texts.sickness)
  end
end
