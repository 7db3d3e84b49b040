-- The measured rate: from release to release. `from` is the cursor right after the release at `since`; `moved` is the time
-- of the latest release, `step` the longest time between two. `mid`, `mid_from` and `mid_step` are a younger beginning, which takes over once it is a window old, so that
-- nothing older than two windows counts.
-- The front lane is not measured.
function front.forget_rate(lane)
  if lane ~= 'front_' then
    for _, name in ipairs({ 'since', 'from', 'mid', 'mid_from', 'moved', 'step', 'mid_step' }) do
      state[lane .. name] = 0
    end
  end
end
local function forget_rate()
  for _, lane in ipairs(lanes) do
    front.forget_rate(lane)
  end
end

-- What was measured at another pace says nothing about this one, and what was missed at another pace is not made up for.
local function judge_rate()
  if state.automatic ~= live.automatic or state.budget ~= budget() then
    state.automatic, state.budget = live.automatic, budget()
    state.left, state.anchor = math.min(state.left, most_kept()), now
    state.steady = 0
    forget_window()
    forget_rate()
  end
end
-- A line moves as fast as it can only while visitors remain waiting.
function front.measure(lane)
  local function at(name)
    return state[lane .. name]
  end
  local function put(name, value)
    state[lane .. name] = value
  end
  if at('cursor') == at('length') then
    front.forget_rate(lane)
  elseif front.called[lane] then
    -- Measured time does not run backwards, even when the clock does.
    local step, cursor = math.max(now - at('moved'), 0), at('cursor')
    put('moved', math.max(now, at('moved')))
    put('step', math.max(at('step'), step))
    put('mid_step', math.max(at('mid_step'), step))
    if at('since') == 0 then
      put('since', at('moved'))
      put('from', cursor)
      put('mid', at('moved'))
      put('mid_from', cursor)
      put('step', 0)
      put('mid_step', 0)
    elseif at('moved') - at('mid') >= 300000 then
      put('since', at('mid'))
      put('from', at('mid_from'))
      put('step', at('mid_step'))
      put('mid', at('moved'))
      put('mid_from', cursor)
      put('mid_step', 0)
    end
  end
end
function front.measure_all()
  for _, lane in ipairs(lanes) do
    if lane ~= 'front_' then
      front.measure(lane)
    end
  end
end
