-- Every answer is a flat list of names and values.
-- A function of `number`, the visitor's position or what the verb counted, and of more names and values; returns the list.

local call, record, live = require('call'), require('record'), require('live')
local events, health, mode, birth = require('events'), require('health'), require('mode'), require('birth')
local lanes, cap, journal = require('lanes'), require('cap'), require('journal')
local state, texts = record.state, record.texts

-- What it says of the origin's health.
local function tell_health(told)
  table.insert(told, 'origin')
  table.insert(told, string.format('%d %d %d %d', mode.is_held() and 1 or 0, state.w_cuts,
    state.w_at < 0 and 2 ^ 53 - 1 or state.w_at, health.is_slowed() and 1 or 0))
  if texts.sickness then
    table.insert(told, 'sickness')
    table.insert(told, texts.sickness)
  end
end

return function(number, ...)
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
    'young', birth.is_young() and 1 or 0, 'recent', lanes.recent(''), 'splices', birth.written_splices(),
  }
  for _, name in ipairs(live.NAMES) do
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
  local event = events.current
  if event then
    table.insert(told, 'event')
    table.insert(told, string.format('%d %s %s %d %d %d %s', call.now, events.phase, event.id, event.prequeue, event.opens, event.closes,
      require('lot').order_now()))
  end
  if events.begun then
    table.insert(told, 'begun')
    table.insert(told, require('lot').written())
  end
  if state.front_length > 0 then
    table.insert(told, 'front')
    table.insert(told, string.format('%d %d %d', state.front_cursor, state.front_length, lanes.recent('front_')))
  end
  local of_regions = lanes.has_regions() and require('regions').written()
  if of_regions then
    table.insert(told, 'regions')
    table.insert(told, of_regions)
  end
  local turns_over = call.arg.turn_minutes and require('turns').told()
  if turns_over then
    table.insert(told, 'turns_over')
    table.insert(told, turns_over)
  end
  if cap.is_capped then
    require('sessions').tell(told)
    local recounts = cap.recounts_from_now()
    if recounts then
      table.insert(told, 'recounts')
      table.insert(told, recounts)
    end
  end
  if health.setting then
    tell_health(told)
  end
  if texts.release and lanes.waiting(lanes.before) > 0 then
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
