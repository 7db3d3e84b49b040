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
  end
  if event then
    table.insert(told, 'event')
    table.insert(told,
      string.format('%d %s %s %d %d %d %s', now, phase, event.id, event.prequeue, event.opens, event.closes, lot.order_now()))
  end
  if begun then
    table.insert(told, 'begun')
    table.insert(told, written_begun())
  end
  if front.written() then
    table.insert(told, 'front')
    table.insert(told, front.written())
  end
  if regions.written() then
    table.insert(told, 'regions')
    table.insert(told, regions.written())
  end
  tell_sessions(told)
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

-- What is known of the line besides.
local function figures(...)
  local told = answer(0, ...)
  for _, more in ipairs({ { 'bound', bound(), 'last_release', set[13] or '' },
    { 'health', written_health(), 'last_sickness', set[16] or '', 'window', written_window() },
    { 'invited_in_all', state.invited, 'invited_now', invitation.this_minute() }, { absence() } }) do
    for _, word in ipairs(more) do
      table.insert(told, word)
    end
  end
  return told
end

local verbs = {}
