-- Every answer is a flat list of names and values.
-- A function of `number`, the visitor's position or what the verb counted, and of more names and values; returns the list.

local call, record, live = require('call'), require('record'), require('live')
local events, health, mode, birth = require('events'), require('health'), require('mode'), require('birth')
local lanes, cap, journal = require('lanes'), require('cap'), require('journal')
local state, texts = record.state, record.texts

-- What it says of the origin's health.
local function tell_health(told)
  told[#told + 1] = 'origin'
  told[#told + 1] = string.format('%d %d %d %d', mode.is_held() and 1 or 0, state.w_cuts,
    state.w_at < 0 and 2 ^ 53 - 1 or state.w_at, health.is_slowed() and 1 or 0)
  if texts.sickness then
    told[#told + 1] = 'sickness'
    told[#told + 1] = texts.sickness
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
  for i = 1, #live.NAMES do
    local name = live.NAMES[i]
    if live.set_at[name] > 0 then
      told[#told + 1] = name .. '_at'
      told[#told + 1] = live.set_at[name]
    end
  end
  if live.cap then
    told[#told + 1] = 'live_cap'
    told[#told + 1] = live.cap
  end
  if live.events then
    told[#told + 1] = 'live_events'
    told[#told + 1] = live.events
  end
  if live.message then
    told[#told + 1] = 'message'
    told[#told + 1] = live.message
  end
  if journal.shown then
    told[#told + 1] = 'head'
    told[#told + 1] = string.sub(journal.shown, 1, 16)
    told[#told + 1] = 'lines'
    told[#told + 1] = journal.shown_seq
    journal.tell(told)
  end
  local event = events.current
  if event then
    told[#told + 1] = 'event'
    told[#told + 1] = string.format('%d %s %s %d %d %d %s', call.now, events.phase, event.id, event.prequeue, event.opens, event.closes,
      require('lot').order_now())
  end
  if events.begun then
    told[#told + 1] = 'begun'
    told[#told + 1] = require('lot').written()
  end
  if state.front_length > 0 then
    told[#told + 1] = 'front'
    told[#told + 1] = string.format('%d %d %d', state.front_cursor, state.front_length, lanes.recent('front_'))
  end
  local of_regions = lanes.has_regions() and require('regions').written()
  if of_regions then
    told[#told + 1] = 'regions'
    told[#told + 1] = of_regions
  end
  local turns_over = call.arg.turn_minutes and require('turns').told()
  if turns_over then
    told[#told + 1] = 'turns_over'
    told[#told + 1] = turns_over
  end
  if cap.is_capped then
    require('sessions').tell(told)
    local recounts = cap.recounts_from_now()
    if recounts then
      told[#told + 1] = 'recounts'
      told[#told + 1] = recounts
    end
  end
  if health.setting then
    tell_health(told)
  end
  if texts.release and lanes.waiting(lanes.before) > 0 then
    told[#told + 1] = 'release'
    told[#told + 1] = texts.release
  end
  -- A name without a value is not told.
  local more = { ... }
  for i = 1, select('#', ...), 2 do
    if more[i + 1] ~= nil then
      told[#told + 1] = more[i]
      told[#told + 1] = more[i + 1]
    end
  end
  return told
end
