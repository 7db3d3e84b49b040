-- The measured rate: from release to release. `from` is how many were called in all right after the release at `since`; `moved` is the time
-- of the latest release, `step` the longest time between two. `mid`, `mid_from` and `mid_step` are a younger beginning, which takes over
-- once it is a window old, so that nothing older than two windows counts.
-- Gives `forget_lane`, `forget`, `judge`, `measure`.

local call, state, live, lanes = require('call'), require('record').state, require('live'), require('lanes')
local now = call.now

local function forget_lane(lane)
  for _, name in ipairs({ 'since', 'from', 'mid', 'mid_from', 'moved', 'step', 'mid_step' }) do
    lane[name] = 0
  end
end
local function forget()
  for _, lane in ipairs(lanes.list) do
    forget_lane(lane)
  end
end

local function per_second(automatic, budget)
  return automatic > 0 and budget / automatic or 0
end
-- What was measured at another pace says nothing about this one, and what was missed at another pace is not made up for.
local function judge()
  if state.automatic ~= live.automatic or state.budget ~= live.budget() then
    local was = per_second(state.automatic, state.budget)
    require('slowed').judge('pace', was, per_second(live.automatic, live.budget()))
    state.automatic, state.budget = live.automatic, live.budget()
    state.left, state.anchor = math.min(state.left, require('absent').most_kept()), now
    state.steady = 0
    require('window').forget()
    forget()
  end
end
-- A lane moves as fast as it can only while visitors remain waiting. `is_called`: this call has called visitors of it.
local function measure_lane(lane, is_called)
  local called = lane.called
  if lanes.waiting_in(lane) == 0 then
    forget_lane(lane)
  elseif is_called then
    -- Measured time does not run backwards, even when the clock does.
    local last, mid = lane.moved, lane.mid
    local moved, step = math.max(now, last), math.max(now - last, 0)
    local longest, mid_step = math.max(lane.step, step), math.max(lane.mid_step, step)
    lane.moved, lane.step, lane.mid_step = moved, longest, mid_step
    if lane.since == 0 then
      lane.since, lane.from, lane.step = moved, called, 0
      lane.mid, lane.mid_from, lane.mid_step = moved, called, 0
    elseif moved - mid >= 300000 then
      lane.since, lane.from, lane.step = mid, lane.mid_from, mid_step
      lane.mid, lane.mid_from, lane.mid_step = moved, called, 0
    end
  end
end
-- `called`: the lanes of which this call has called visitors.
local function measure(called)
  for i = 1, #lanes.list do
    local lane = lanes.list[i]
    measure_lane(lane, called[lane])
  end
end

return { forget_lane = forget_lane, forget = forget, judge = judge, measure = measure }
