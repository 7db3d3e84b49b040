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
  elseif mode_now() == 'automatic' and now >= state.quiet then
    state.credit = state.credit - admit(state.credit)
    -- Missed periods are for visitors who waited through them: what is left is at most one period's.
    state.left = math.min(state.left - admit(state.left), most_kept())
  end
end

-- What bounds the line now: why no more visitors are released.
local function bound()
  if live.mode == 'hold' or live.mode == 'closed' then
    return 'mode'
  elseif live.mode == 'open' then
    return 'waiting'
  elseif mode_now() == 'hold' then
    return 'origin'
  elseif now < state.quiet then
    return 'settling'
  elseif state.cursor == state.length then
    return 'waiting'
  elseif is_enforced() and is_recounting() then
    return 'recount'
  end
  return slots() == 0 and 'slots' or 'pace'
end
-- What a verb released: when, how many, what pace and credit allowed, what slots allowed, and what bound it.
local function note_release()
  local many = state.admitted - before.admitted
  if many > 0 then
    local free = free_slots()
    texts.release = string.format('%d %d %d %s %s', now, many, many + state.credit + state.left, free and free + many or '-',
      bound())
  end
end
