-- The origin's health, by the answers that POPs have watched. `queue/health.rs` has the same rule, with its vectors.
-- What this call brings; and of visitors who say something about the window, how many answers and how many late ones.
local heard, of_window, late_of_window = { ok = 0, late = 0, bad = 0 }, 0, 0
local function hear(cuts, kind, many)
  heard[kind] = heard[kind] + many
  if tonumber(cuts) == state.w_cuts then
    of_window, late_of_window = of_window + many, late_of_window + (kind == 'ok' and 0 or many)
  end
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

-- The marker ends by its time alone. While it stands no answer changes anything: visitors who were in before it still get bad ones.
local function mark_sick(ok, late, bad)
  state.sick_until = now + health.life * 1000
  state.heard_ok, state.heard_late, state.heard_bad = 0, 0, 0
  texts.sickness = string.format('%d %d %d %d %d', now, state.sick_until, ok, late, bad)
end
-- While the room is on hold for it, what is missed is not made up for, and the pace begins small afterwards.
local function keep_sick()
  if not is_held() then
    return
  end
  state.left, state.anchor = 0, math.max(state.anchor, state.sick_until)
  if state.w_ramp == 0 then
    ramp_window()
  end
end
-- Answers of the last ten seconds count in full, those of the ten before half; of many, older ones count less.
local function judge_health()
  local all = heard.ok + heard.late + heard.bad
  if not health.setting or all == 0 then
    return
  end
  hear_baseline(all, heard.late + heard.bad)
  if not is_held() then
    hear_window(of_window, late_of_window)
  end
  if is_sick() then
    return
  end
  local span = math.floor(now / 10000)
  for kind, many in pairs(heard) do
    local name, ago = 'heard_' .. kind, span - state.heard_at
    heard[kind] = many + (ago == 0 and state[name] or ago == 1 and math.floor(state[name] / 2) or 0)
  end
  state.heard_at = span
  -- Where the pace follows the answers, late ones make it slower, unless nearly all are.
  all = heard.ok + heard.late + heard.bad
  local sick = heard.late + heard.bad
  if is_steered() and sick * 10 < all * 9 then
    sick = heard.bad
  end
  if sick >= tonumber(health.min) and sick * 100 >= health.share * all then
    return mark_sick(heard.ok, heard.late, heard.bad)
  end
  repeat
    local is_many = heard.ok + heard.late + heard.bad >= 50
    for kind, many in pairs(heard) do
      heard[kind] = is_many and math.floor(many / 2) or many
    end
  until not is_many
  state.heard_ok, state.heard_late, state.heard_bad = heard.ok, heard.late, heard.bad
end

local function written_health()
  return string.format('%d %d %d %d %d', state.sick_until, state.overruled, state.heard_ok, state.heard_late, state.heard_bad)
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
