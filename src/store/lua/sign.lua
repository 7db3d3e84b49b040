-- What a copy of the sign proves: a line that lost its data comes back. `queue/model/birth.rs` has the same rule.

-- Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it.
local function lend(credit)
  if state.set_credit == 1 then
    return
  end
  state.credit = state.credit - math.min(state.lent, state.credit) + credit
  state.lent = credit
end

-- The store has lost data, so no copy may show the last numbers that were given: what is drawn from now on moves when a
-- better copy comes.
local function begin_new_data(line, after)
  state.started = math.max(now, state.started + 1, after + 1)
  state.adopted, state.sealed, state.lent, state.set_credit = 0, 0, state.credit, 0
  begin_ring()
  lay(line, { born = state.started, many = 0 })
end

local function take_cursor(cursor)
  if cursor > state.cursor then
    -- Remembered, not admitted now: the measurement begins anew.
    state.cursor = math.min(cursor, state.length)
    forget_rate()
  end
end

local function sign_brought()
  if not arg.sign_born then
    return
  end
  local sign = { mode = arg.sign_mode, message = arg.sign_message, splices = arg.sign_splices, ring = arg.sign_ring,
    cap = arg.sign_cap, events = arg.sign_events, front = arg.sign_front, regions = arg.sign_regions }
  sign.set_at = set_times(tonumber(arg.sign_version), arg.sign_mode_at, arg.sign_pace_at, arg.sign_message_at,
    arg.sign_cap_at, arg.sign_event_at)
  for _, name in ipairs({ 'born', 'started', 'adopted', 'settled', 'epoch', 'cursor', 'length', 'credit', 'recent',
    'version', 'paced', 'automatic', 'quantity', 'told', 'cap_since', 'lines' }) do
    sign[name] = tonumber(arg['sign_' .. name])
  end
  return sign
end

-- A line without a birth in the store is of the version before: it was born at 0.
if is_new then
  state.born, state.started, state.anchor = now, now, now
end
-- A sign that is further on than its own data means that the store has lost some.
local function is_behind(sign)
  return sign.length > state.length or sign.cursor > state.cursor or sign.epoch > state.epoch or sign.version > live.version
end
-- Also where only the journal shows it.
local function has_lost_lines(sign)
  return (sign.lines or 0) > (journal.seq or 0)
end
-- What a copy says of the line besides its numbers; `base` was the line before it came.
local function take_values(sign, base, has_moved)
  if has_moved then
    lend(sign.credit)
  end
  take_sessions(sign)
  if state.born == base then
    state.epoch = math.max(state.epoch, sign.epoch)
    take_cursor(sign.cursor)
  else
    state.epoch, state.cursor = sign.epoch, math.min(sign.cursor, sign.length)
  end
end
-- Whether the line has changed by what the copy knows of it.
local function take_line(sign)
  local base, started, adopted = state.born, state.started, state.adopted
  local is_later = sign.started > started or sign.started == started and sign.adopted > adopted
  local is_same = sign.started == started and sign.adopted == adopted
  -- The numbers of an epoch that has ended are of no use.
  local is_late = not is_young() and sign.born == base and sign.started < started and sign.epoch >= state.epoch
  local line = pieces_of(sign.born, sign.settled, read_splices(sign.splices), behind(sign.length, sign.recent))
  if is_later or (is_same or is_late) and is_behind(sign) or is_same and has_lost_lines(sign) then
    local cleared = is_late and state.set_credit or 0
    if is_late then
      line = joined(line, pieces_here())
      -- How many drew before the start is counted anew.
      if lot.is_undecided() then
        begun.drawn = -1
      end
    elseif is_young() and adopted == 0 then
      -- After a clock was set back, new data seem older than those that the sign knows.
      local _, own = pieces_before(behind_these())
      grow(line, own)
    else
      state.settled = settled
      line = joined(pieces_here(), line)
    end
    begin_new_data(line, sign.started)
    state.set_credit = cleared
  elseif is_young() and sign.started < started then
    local before_these, own = pieces_before(state.length)
    lay(joined(before_these, line), own)
  else
    return
  end
  if sign.born == state.born then
    take_values(sign, base, state.started ~= started or state.adopted ~= adopted)
  end
end
local function take_sign(sign)
  local started, adopted, age = state.started, state.adopted, sign.started - state.started
  take_line(sign)
  front.take_sign(sign, state.started ~= started or state.adopted ~= adopted)
  -- Of this line, or of a piece of it.
  if sign.born == state.born or splice_of(splices, sign.born) then
    take_live(sign)
    take_begun(read_begun(arg.sign_event), age)
  end
end
local sign = sign_brought()
if sign then
  take_sign(sign)
end
journal.come_back(sign and 'sign' or '-', arg.sign_head)

-- Begun anew on purpose: every ticket so far ends, and nothing is adopted any more. Epochs are comparable across losses,
-- since a raised one is never below the time in seconds.
local function begin_anew()
  state.epoch = math.max(state.epoch + 1, math.floor(now / 1000))
  -- Later than before, even when the clock is not: signs from before it take nothing back.
  state.started, state.sealed, state.quiet = math.max(now, state.started + 1), 1, 0
  state.settled, splices, texts.splices = state.started, {}, false
end
