-- The measured rate: from release to release. `from` is the cursor right after the release at `since`; `moved` is the time
-- of the latest release, `step` the longest time between two. `mid`, `mid_from` and `mid_step` are a younger beginning, which takes over once it is a window old, so that
-- nothing older than two windows counts.
local WINDOW = 300000

local function forget_rate()
  state.since, state.from, state.mid, state.mid_from, state.moved = 0, 0, 0, 0, 0
  state.step, state.mid_step = 0, 0
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
-- The line moves as fast as it can only while visitors remain waiting. The front lane is not measured.
local function measure()
  if state.cursor == state.length then
    forget_rate()
  elseif state.admitted - before.admitted > front.called then
    -- Measured time does not run backwards, even when the clock does.
    local step = math.max(now - state.moved, 0)
    state.moved = math.max(now, state.moved)
    state.step, state.mid_step = math.max(state.step, step), math.max(state.mid_step, step)
    if state.since == 0 then
      state.since, state.from = state.moved, state.cursor
      state.mid, state.mid_from = state.moved, state.cursor
      state.step, state.mid_step = 0, 0
    elseif state.moved - state.mid >= WINDOW then
      state.since, state.from, state.step = state.mid, state.mid_from, state.mid_step
      state.mid, state.mid_from, state.mid_step = state.moved, state.cursor, 0
    end
  end
end
