-- Every answer is a flat list of names and values. `number` is the visitor's position, or what the verb counted.
local function answer(number, ...)
  local measured = state.since > 0 and state.cursor > state.from
  local told = {
    'number', number,
    'epoch', state.epoch, 'cursor', state.cursor, 'length', state.length, 'credit', state.credit,
    'released', measured and state.cursor - state.from or 0,
    'took', measured and state.moved - state.since or 0,
    'moved', measured and state.moved or 0,
    'step', measured and state.step or 0,
    'mode', live.mode, 'automatic', live.automatic, 'quantity', live.quantity, 'version', live.version, 'paced', live.paced,
    'drawn', state.drawn, 'admitted', state.admitted, 'pops', state.pops,
    'born', state.born, 'started', state.started, 'adopted', state.adopted, 'sealed', state.sealed,
    'settled', state.settled,
    'young', is_young() and 1 or 0, 'recent', recent(''), 'splices', written_splices(),
  }
  for _, name in ipairs(SETTINGS) do
    if live.set_at[name] > 0 then
      table.insert(told, name .. '_at')
      table.insert(told, live.set_at[name])
    end
  end
  if live.cap then
    table.insert(told, 'live_cap')
    table.insert(told, live.cap)
  end
  if live.events then
    table.insert(told, 'live_events')
    table.insert(told, live.events)
  end
  if live.message then
    table.insert(told, 'message')
    table.insert(told, live.message)
  end
  if journal.shown then
    table.insert(told, 'head')
    table.insert(told, string.sub(journal.shown, 1, 16))
    table.insert(told, 'lines')
    table.insert(told, journal.shown_seq)
    journal.tell(told)
  end
  if event then
    table.insert(told, 'event')
    table.insert(told,
      string.format('%d %s %s %d %d %d %s', now, phase, event.id, event.prequeue, event.opens, event.closes, use('lot').order_now()))
  end
  if begun then
    table.insert(told, 'begun')
    table.insert(told, use('lot').written())
  end
  if state.front_length > 0 then
    table.insert(told, 'front')
    table.insert(told, string.format('%d %d %d', state.front_cursor, state.front_length, recent('front_')))
  end
  local of_regions = regions.list[1] and regions.written()
  if of_regions then
    table.insert(told, 'regions')
    table.insert(told, of_regions)
  end
  local turns_over = turns.told()
  if turns_over then
    table.insert(told, 'turns_over')
    table.insert(told, turns_over)
  end
  if is_capped then
    use('sessions').tell(told)
    local recounts = recounts_from_now()
    if recounts then
      table.insert(told, 'recounts')
      table.insert(told, recounts)
    end
  end
  tell_health(told)
  if texts.release and waiting(before) > 0 then
    table.insert(told, 'release')
    table.insert(told, texts.release)
  end
  -- A name without a value is not told.
  for i = 1, select('#', ...), 2 do
    local name, value = select(i, ...)
    if value ~= nil then
      table.insert(told, name)
      table.insert(told, value)
    end
  end
  return told
end
