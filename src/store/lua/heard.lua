-- What POPs have watched of the origin's answers.

-- What this call brings; and of visitors who say something about the window, how many answers and how many late ones.
local heard, of_window, late_of_window = { ok = 0, late = 0, bad = 0 }, 0, 0
local function hear(cuts, kind, many)
  heard[kind] = heard[kind] + many
  if tonumber(cuts) == state.w_cuts then
    of_window, late_of_window = of_window + many, late_of_window + (kind == 'ok' and 0 or many)
  end
end

-- The marker ends by its time alone. While it stands no answer changes anything: visitors who were in before it still get bad ones.
local function mark_sick(ok, late, bad)
  state.sick_until = now + health.life * 1000
  state.heard_ok, state.heard_late, state.heard_bad = 0, 0, 0
  texts.sickness = string.format('%d %d %d %d %d', now, state.sick_until, ok, late, bad)
end
-- Answers of the last ten seconds count in full, those of the ten before half; of many, older ones count less.
local function judge_health()
  local all = heard.ok + heard.late + heard.bad
  if not health.setting or all == 0 then
    return
  end
  local window = use('window')
  window.hear_baseline(all, heard.late + heard.bad)
  if not is_held() then
    window.hear(of_window, late_of_window)
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

return { hear = hear, judge = judge_health }
