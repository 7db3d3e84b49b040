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
    use('window').forget()
    forget_rate()
  end
end
-- A line moves as fast as it can only while visitors remain waiting.
function front.measure(lane)
  local cursor = state[lane .. 'cursor']
  if cursor == state[lane .. 'length'] then
    front.forget_rate(lane)
  elseif front.called[lane] then
    -- Measured time does not run backwards, even when the clock does.
    local last, mid = state[lane .. 'moved'], state[lane .. 'mid']
    local moved, step = math.max(now, last), math.max(now - last, 0)
    local longest, mid_step = math.max(state[lane .. 'step'], step), math.max(state[lane .. 'mid_step'], step)
    state[lane .. 'moved'], state[lane .. 'step'], state[lane .. 'mid_step'] = moved, longest, mid_step
    if state[lane .. 'since'] == 0 then
      state[lane .. 'since'], state[lane .. 'from'], state[lane .. 'step'] = moved, cursor, 0
      state[lane .. 'mid'], state[lane .. 'mid_from'], state[lane .. 'mid_step'] = moved, cursor, 0
    elseif moved - mid >= 300000 then
      state[lane .. 'since'], state[lane .. 'from'], state[lane .. 'step'] = mid, state[lane .. 'mid_from'], mid_step
      state[lane .. 'mid'], state[lane .. 'mid_from'], state[lane .. 'mid_step'] = moved, cursor, 0
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

local function take_cursor(cursor)
  if cursor > state.cursor then
    -- Remembered, not admitted now: the measurement begins anew.
    state.cursor = math.min(cursor, state.length)
    forget_rate()
  end
end

