-- How many waiting visitors are released.

-- From one lane, by what the names of its fields begin with.
function front.call(lane, most)
  if most == 0 then
    return 0
  end
  local released = math.min(most, state[lane .. 'length'] - state[lane .. 'cursor'], slots())
  state[lane .. 'cursor'] = state[lane .. 'cursor'] + released
  state.admitted = state.admitted + released
  front.called[lane] = front.called[lane] or released > 0
  if is_capped then
    use('sessions').promise(released)
  end
  return released
end
-- From the main line, and from the regions where there are some.
function regions.call(most)
  if #regions.list == 0 then
    return front.call('', most)
  end
  local released, waits = 0, waiting(state) - (state.front_length - state.front_cursor)
  most = math.min(most, waits, slots())
  if most > 0 then
    regions.split(most)
  end
  for _, region in ipairs(most > 0 and regions.list or {}) do
    released = released + front.call(region.line, region.part)
  end
  return released
end
-- Visitors of the main line go first, and what they do not use is for the front lane.
local function admit(most)
  local released = regions.call(most)
  return released + front.call('front_', most - released)
end
-- Of what the pace lets in the front lane has its share, rounded up over all periods in which the main line waits: what it had
-- ahead counts for the next ones. Either gives back what it does not use.
local function admit_by_pace(most)
  most = math.min(most, waiting(state), slots())
  if most == 0 and state.front_over == 0 then
    return 0
  end
  local due = front.share * most - state.front_over
  local of_front = front.call('front_', math.max(math.ceil(due / 100), 0))
  local of_main = regions.call(most - of_front)
  local is_left = waiting(state) > state.front_length - state.front_cursor
  state.front_over = is_left and math.max(100 * of_front - due, 0) or 0
  return of_front + of_main + front.call('front_', most - of_front - of_main)
end

-- What bounds the line now: why no more visitors are released.
local function bound()
  local mode = mode_now()
  if live.mode == 'hold' or live.mode == 'closed' then
    return 'mode'
  elseif mode == 'open' then
    return 'waiting'
  elseif is_held() then
    return 'origin'
  elseif mode ~= 'automatic' then
    return 'event'
  elseif now < state.quiet then
    return 'settling'
  elseif waiting(state) == 0 then
    return 'waiting'
  elseif is_enforced() and is_recounting() then
    return 'recount'
  end
  return slots() == 0 and 'slots' or 'pace'
end
-- Whether a lane has come to numbers that a loss left free. Those of an order by lot are spread over the line.
function front.is_at_gap(lane)
  local cursor = state[lane .. 'cursor']
  return cursor < state[lane .. 'gap_end'] and state[lane .. 'gap'] <= cursor and not (lane == '' and begun and begun.order ~= 'arrival')
end
-- It goes past them, so no release is spent on them. Who holds one of them, and was known to nobody until now, goes in.
function front.pass_gaps()
  local is_noted = false
  for _, lane in ipairs(lanes) do
    if front.is_at_gap(lane) then
      if not is_noted then
        journal.released(bound())
        is_noted = true
      end
      use('lanes').take_cursor(lane, math.min(state[lane .. 'gap_end'], state[lane .. 'length']))
    end
  end
  if is_noted then
    journal.note('restore', '-', '-', 'free')
  end
end
-- Credit goes first: it was granted by name, the budget is only the pace. An open room admits everybody and uses neither;
-- on hold and closed the line stands.
local function release()
  local admitted, mode, is_quiet = state.admitted, mode_now(), now < state.quiet
  if not is_quiet and (mode == 'automatic' or mode == 'open') then
    front.pass_gaps()
  end
  if mode == 'open' then
    admit(waiting(state))
  elseif mode == 'automatic' and not is_quiet then
    state.credit = state.credit - admit(state.credit)
    -- A missed period is for visitors who waited through it: what is left is at most one period's.
    state.left = math.min(state.left - admit_by_pace(state.left), most_kept())
  end
  return state.admitted - admitted
end

-- What a verb released: when, how many, what pace and credit allowed, what slots allowed, and what bound it.
local function note_release()
  local many = state.admitted - before.admitted
  if many > 0 then
    local free = is_capped and use('sessions').free()
    texts.release = string.format('%d %d %d %s %s', now, many, many + state.credit + state.left, free and free + many or '-',
      bound())
  end
end
