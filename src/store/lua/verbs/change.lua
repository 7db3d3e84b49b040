-- change: what operators and the origin's programs do, each of them once.
-- Arguments: `act`, `who`, `address`; `audited` = 'yes' for the list of actions; `seen`, the version of the settings that
-- the operator saw; `asked`, a digest of what is asked, for a change that is done once under its key.

local lot = use('lot')

-- What the list of actions has of this act.
local entry = {
  is_wanted = arg.audited == 'yes',
  value = arg.amount or arg.mode or arg.live_automatic or arg.message or arg.live_cap or arg.live_events or arg.overrule or arg.value or '',
  second = arg.live_quantity or arg.credit_max or '',
}

-- Says who set it and when: later than before, whatever the clock does.
local function sign_with(stem)
  live.set_at[stem] = math.max(now, live.set_at[stem] + 1)
  texts[stem .. '_at'], texts[stem .. '_by'] = live.set_at[stem], arg.who
end

-- Sets fields, or removes those without a value: back to what is configured. `stem` names the fields that say who and when; behind it
-- come names and values.
local function put(stem, ...)
  local values = {}
  for i = 1, select('#', ...), 2 do
    local field, value = select(i, ...)
    texts[field] = value or false
    table.insert(values, value or '-')
  end
  journal.note('change', '-', journal.who(), journal.word(stem .. ':' .. table.concat(values, ':')))
  live.version = live.version + 1
  texts.version = live.version
  keep_long()
  sign_with(stem)
end

local acts = {
  permit = function()
    local amount, credit_max = tonumber(arg.amount), tonumber(arg.credit_max)
    open_period()
    release()
    journal.released(bound())
    local is_settled = now >= state.quiet
    if is_settled then
      front.pass_gaps()
    end
    local released, credit = is_settled and admit(amount) or 0, state.credit
    state.credit = math.max(credit, math.min(credit_max, credit + amount - released))
    local kept = state.credit - credit
    if released + kept > 0 then
      journal.note('permit', bound(), journal.who(), string.format('%d:%d:%d', amount, released, kept))
    end
    return released, kept
  end,
  -- A mode that already holds is no change, and nothing to write down. But the operator means it, also where a POP knows a
  -- later one.
  mode = function()
    if live.mode == arg.mode then
      entry.is_wanted = false
      sign_with('mode')
    else
      if live.mode ~= 'automatic' then
        state.anchor = now
      end
      live.mode = arg.mode
      put('mode', 'mode', arg.mode)
    end
    open_period()
    return release()
  end,
  pace = function()
    put('pace', 'live_automatic', arg.live_automatic, 'live_quantity', arg.live_quantity)
    live.paced = arg.live_automatic and 1 or 0
    live.automatic = tonumber(arg.live_automatic or arg.automatic)
    live.quantity = tonumber(arg.live_quantity or arg.quantity)
    judge_rate()
    open_period()
    release()
    return 0
  end,
  message = function()
    put('message', 'message', arg.message)
    live.message = arg.message or false
    return 0
  end,
  cap = function()
    put('cap', 'live_cap', arg.live_cap)
    live.cap = arg.live_cap or false
    begin_cap()
    open_period()
    return release()
  end,
  -- The event that is brought forward begins at once, so that no visitor of the line before goes in.
  event = function()
    if scheduled_mode() ~= 'automatic' then
      state.anchor = now
    end
    local list = arg.live_events
    if arg.sold_out then
      list = lot.sold_out()
      entry.value, entry.second = list, event.id
    end
    put('event', 'live_events', list)
    live.events = list or false
    read_events()
    if phase == 'prequeue' or phase == 'open' then
      lot.follow_phase(arg.given_commitment or arg.commitment)
    end
    open_period()
    return release()
  end,
  credit = function()
    local cleared = state.credit
    state.credit, state.set_credit = 0, 1
    if cleared > 0 then
      journal.note('change', '-', journal.who(), 'credit:0')
    end
    return cleared
  end,
  epoch = function()
    local ended = waiting(state)
    lot.end_all()
    journal.note('end', '-', journal.who(), '-')
    return ended
  end,
  -- Visitors go in for an hour though the origin is sick; or no longer.
  overrule = function()
    state.overruled = arg.overrule == 'on' and now + 3600000 or 0
    journal.note('change', '-', journal.who(), 'overrule:' .. arg.overrule)
    if arg.overrule == 'on' then
      state.anchor = math.min(state.anchor, now)
      use('window').end_ramp()
    end
    open_period()
    return release()
  end,
  -- The origin says how it answered, or how much of its capacity is in use.
  report = function()
    entry.is_wanted = false
    for _, kind in ipairs({ 'ok', 'late', 'bad' }) do
      use('heard').hear(state.w_cuts, kind, tonumber(arg[kind]))
    end
    if arg.load then
      state.load, state.load_until = tonumber(arg.load), now + 30000
    end
    use('heard').judge()
    open_period()
    release()
    return 0
  end,
  -- The public value decides the order by lot.
  lot = function()
    lot.decide(lot.secret(arg.given_lot), arg.value, journal.who())
    open_period()
    release()
    return begun.drawn
  end,
  -- The origin or an operator ends sessions.
  ['end'] = function()
    return use('sessions').end_marked(arg.marks)
  end,
  draw = function()
    open_period()
    return (arrive(arg.lane))
  end,
  -- No number is drawn and no visitor goes in. Where the operator's browser holds the next number, that one is served. The journal
  -- has a line in either case.
  jump = function()
    open_period()
    release()
    local held = arg.held_born and number_of({
      born = tonumber(arg.held_born), epoch = tonumber(arg.held_epoch), position = tonumber(arg.held_position),
    })
    journal.released(bound())
    if held == state.cursor + 1 and (arg.held_came == 'yes' or not is_redrawn(held)) then
      front.call('', 1)
    end
    journal.note('permit', bound(), journal.who(), 'jump')
    return held or 0
  end,
}

-- What the same key did before, or nothing.
local function repeated()
  local memory = arg.asked and redis.call('HGETALL', key.once) or {}
  local by_name = {}
  for i = 1, #memory, 2 do
    by_name[memory[i]] = memory[i + 1]
  end
  if not by_name.asked then
    return
  elseif by_name.asked ~= arg.asked then
    return answer(0, 'outcome', 'reused')
  elseif not by_name.born then
    -- Done by the version before, which remembered less: the line is answered as it stands now.
    return answer(tonumber(by_name.number) or 0, 'kept', 0, 'outcome', 'again')
  end
  table.insert(memory, 'outcome')
  table.insert(memory, 'again')
  return memory
end

local function refused()
  if arg.act == 'end' and not is_capped then
    return answer(0, 'outcome', 'standing')
  end
  if live.set_at[arg.act] and arg.seen and tonumber(arg.seen) ~= live.version then
    return answer(0, 'outcome', 'outdated')
  end
  local is_open = phase == 'open' or phase == 'drawing'
  local has_value = begun and string.match(begun.order, '~') and lot.secret(arg.given_lot)
  if arg.act == 'lot' and not has_value or lot.is_spent(arg.live_events or '') or arg.sold_out and not is_open then
    return answer(0, 'outcome', 'standing')
  end
  if arg.act == 'permit' and not lets_in() then
    return answer(0, 'outcome', 'standing')
  end
  -- While a lot is awaited nothing moves the numbers that it puts in order.
  if (arg.act == 'draw' or arg.act == 'jump') and (mode_now() == 'closed' or phase == 'drawing') then
    return answer(0, 'outcome', 'standing')
  end
end

local function write_down(number)
  if entry.is_wanted then
    local words = { now, arg.who, arg.address, arg.act, number, entry.value, entry.second }
    redis.call('LPUSH', key.actions, table.concat(words, '\n'))
    redis.call('LTRIM', key.actions, 0, 49)
    redis.call('EXPIRE', key.actions, math.max(lifetime, TTL.actions))
  end
end

local other = repeated() or refused()
if other then
  return other
end
local number, kept = acts[arg.act]()
save()
redis.call('EXPIRE', key.line, lifetime)
write_down(number)
local told = answer(number, 'kept', kept or 0)
if arg.asked then
  redis.call('HSET', key.once, 'asked', arg.asked, unpack(told))
  redis.call('EXPIRE', key.once, TTL.once)
end
table.insert(told, 'outcome')
table.insert(told, 'done')
return told
