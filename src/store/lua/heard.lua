-- What this call brings of the origin's answers, which POPs have watched or the origin reports.
-- Gives `hear`, `judge`.

local call, record, health = require('call'), require('record'), require('health')
local mode, window = require('mode'), require('window')
local state, now = record.state, call.now

-- What this call brings; and of visitors who say something about the window, how many answers and how many late ones.
local heard, of_window, late_of_window = { ok = 0, late = 0, bad = 0 }, 0, 0
-- The same without what visitors inside were answered, who choose what they ask for.
local entry = { ok = 0, late = 0, bad = 0 }
local function hear(cuts, kind, many)
  heard[kind] = heard[kind] + many
  if cuts ~= 'inside' then
    entry[kind] = entry[kind] + many
  end
  if tonumber(cuts) == state.w_cuts then
    of_window, late_of_window = of_window + many, late_of_window + (kind == 'ok' and 0 or many)
  end
end

local function sum(answers)
  return answers.ok + answers.late + answers.bad
end
local function keep(all, of_entry)
  for kind in pairs(heard) do
    state['heard_' .. kind], state['entry_' .. kind] = all[kind] or 0, of_entry[kind] or 0
  end
end
-- Where the pace follows the answers, late ones make it slower, unless nearly all are.
local function are_bad(answers, least)
  local all, many = sum(answers), answers.late + answers.bad
  if health.is_steered() and many * 10 < all * 9 then
    many = answers.bad
  end
  return many >= least and many * 100 >= health.share * all
end

-- The marker ends by its time alone. While it stands no answer changes anything: visitors who were in before it still get bad ones.
local function mark_sick(ok, late, bad)
  state.sick_until = now + health.life * 1000
  keep({}, {})
  record.texts.sickness = string.format('%d %d %d %d %d', now, state.sick_until, ok, late, bad)
end
-- Answers of the last ten seconds count in full, those of the ten before half; of many, older ones count less. Visitors inside make
-- no origin sick by themselves.
local function judge()
  local all = sum(heard)
  if not health.setting or all == 0 then
    return
  end
    window.hear_baseline(all, heard.late + heard.bad)
  if not mode.is_held() then
    window.hear(of_window, late_of_window)
  end
  if health.is_sick() then
    return
  end
  local span = math.floor(now / 10000)
  local ago = span - state.heard_at
  for name, answers in pairs({ heard_ = heard, entry_ = entry }) do
    for kind, many in pairs(answers) do
      local known = state[name .. kind]
      answers[kind] = many + (ago == 0 and known or ago == 1 and math.floor(known / 2) or 0)
    end
  end
  state.heard_at = span
  if are_bad(heard, tonumber(health.min)) and are_bad(entry, 1) then
    return mark_sick(heard.ok, heard.late, heard.bad)
  end
  while sum(heard) >= 50 do
    for _, answers in ipairs({ heard, entry }) do
      for kind, many in pairs(answers) do
        answers[kind] = math.floor(many / 2)
      end
    end
  end
  keep(heard, entry)
end

return { hear = hear, judge = judge }
