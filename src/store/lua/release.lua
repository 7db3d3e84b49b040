-- How many waiting visitors are released. `queue/release.rs` has the same rule, with its vectors.

local function admit(most)
  local released = math.min(most, state.length - state.cursor, slots())
  state.cursor = state.cursor + released
  state.admitted = state.admitted + released
  promise(released)
  return released
end

-- Credit goes first: it was granted by name, the budget is only the pace. An open room admits everybody and uses neither;
-- on hold and closed the line stands.
local function release()
  if live.mode == 'open' then
    admit(state.length)
  elseif live.mode == 'automatic' and now >= state.quiet then
    state.credit = state.credit - admit(state.credit)
    -- Missed periods are for visitors who waited through them: what is left is at most one period's.
    state.left = math.min(state.left - admit(state.left), most_kept())
  end
end
