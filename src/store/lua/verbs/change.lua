-- change: what operators and the origin's programs do, each of them once.
-- Keys: `actions`, the list of what was done; `once`, for a change that is done once under its key; `draw`, for an act that draws;
-- `ended` and `mark`, for sessions that are ended; all of them are read and written. As every verb that may move the line it writes
-- `line`, `hour` and `journal`.
-- Arguments: `act`, `who`, `address`; `audited` = 'yes' for the list of actions; `seen`, the version of the settings that
-- the operator saw; `asked`, a digest of what is asked, for a change that is done once under its key; and what the act needs.
-- Answer: `number`, what the act counted; `kept`, what it kept for later; `outcome`: `done`, `again` where the key did it before,
-- `reused` where the key did something else, `outdated` where the operator saw older settings, `standing` where the line's state refuses
-- it.

local call, record, live = require('call'), require('record'), require('live')
local events, mode, lanes, cap = require('events'), require('mode'), require('lanes'), require('cap')
local bound, journal, lot = require('bound'), require('journal'), require('lot')
local open_period, release = require('pace').open_period, require('release')
local save, answer = require('save'), require('answer').answer
local arg, key, TTL, now = call.arg, call.key, call.TTL, call.now
local state, texts = record.state, record.texts

-- What the list of actions has of this act.
local entry = {
  is_wanted = arg.audited == 'yes',
  value = arg.amount or arg.mode or arg.live_automatic or arg.message or arg.live_cap or arg.live_events or arg.overrule or arg.value or arg.stock or '',
  -- A message that is set to nothing differs from one that is given back.
  second = arg.live_quantity or arg.credit_max or arg.act == 'message' and not arg.message and '-' or '',
}

-- Says who set it and when: later than before, whatever the clock does.
local function sign_with(stem)
  live.set_at[stem] = math.max(now, live.set_at[stem] + 1)
  texts[stem .. '_at'], texts[stem .. '_by'] = live.set_at[stem], arg.who
end

-- Sets fields, or removes those without a value: back to what is configured. `stem` names the fields that say who and when; behind it
-- come names and values. What then holds is read anew.
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
  sign_with(stem)
  events.read()
  if events.current or record.stored.brought then
    require('steps').settle()
  end
end

local function release_due()
  open_period()
  return release.release()
end

local function position_of(place)
  return place and lanes.position(place) or 0
end

local acts = {
  permit = function()
    local amount, credit_max = tonumber(arg.amount), tonumber(arg.credit_max)
    release_due()
    journal.released(bound.rule())
    local released, credit = now >= state.quiet and release.admit(amount) or 0, state.credit
    state.credit = math.max(credit, math.min(credit_max, credit + amount - released))
    local kept = state.credit - credit
    if released + kept > 0 then
      journal.note('permit', bound.rule(), journal.who(), string.format('%d:%d:%d', amount, released, kept))
    end
    return released, kept
  end,
  -- A mode that already holds is no change, and nothing to write down. But the operator means it, also where a POP knows a
  -- later one.
  mode = function()
    if live.mode == arg.mode and not live.held.mode then
      entry.is_wanted = false
      sign_with('mode')
    else
      if live.mode ~= 'automatic' then
        state.anchor = now
      end
      live.set.mode = arg.mode
      put('mode', 'mode', arg.mode)
    end
    return release_due()
  end,
  pace = function()
    live.set.automatic, live.set.quantity = tonumber(arg.live_automatic), tonumber(arg.live_quantity)
    put('pace', 'live_automatic', arg.live_automatic, 'live_quantity', arg.live_quantity)
    require('rate').judge()
    release_due()
    return 0
  end,
  message = function()
    live.set.message = arg.message
    put('message', 'message', arg.message)
    return 0
  end,
  cap = function()
    live.set.cap = arg.live_cap
    put('cap', 'live_cap', arg.live_cap)
    require('settings').follow_cap()
    return release_due()
  end,
  -- The event that is brought forward begins at once, so that no visitor of the line before goes in.
  event = function()
    if events.mode() ~= 'automatic' then
      state.anchor = now
    end
    local list = arg.live_events
    if arg.sold_out then
      list = lot.sold_out()
      entry.value, entry.second = list, events.current.id
    end
    -- What was counted is none of an event that begins.
    require('history').end_step()
    live.events = list or false
    put('event', 'live_events', list)
    require('settings').follow_cap()
    if events.phase == 'prequeue' or events.phase == 'open' then
      lot.follow_phase(arg.given_commitment or arg.commitment)
    end
    return release_due()
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
    local ended = lanes.waiting()
    lot.end_tickets()
    journal.note('end', '-', journal.who(), '-')
    return ended
  end,
  -- Visitors go in for an hour though the origin is sick; or no longer.
  overrule = function()
    state.overruled = arg.overrule == 'on' and now + 3600000 or 0
    journal.note('change', '-', journal.who(), 'overrule:' .. arg.overrule)
    if arg.overrule == 'on' then
      state.anchor = math.min(state.anchor, now)
      require('window').end_ramp()
    end
    return release_due()
  end,
  -- The origin says how it answered, how much of its capacity is in use, or how many visitors its stock is still enough for.
  report = function()
    entry.is_wanted = entry.is_wanted and arg.stock
    if arg.stock then
      local stock, counted = tonumber(arg.stock) or -1, live.stock()
      state.stock, live.stock_of = stock, live.running or false
      texts.stock_of = live.stock_of
      events.read()
      if live.stock() ~= counted then
        journal.note('change', '-', journal.who(), 'stock:' .. arg.stock)
        -- That all is sold is news, also of a program that reports each sale, and no news again where nothing else was done since.
        if stock == 0 and not entry.is_wanted then
          local latest = redis.call('LRANGE', key.actions, 0, 0)[1] or ''
          entry.is_wanted = not string.find(latest, '\nreport\n%d+\n0\n')
        end
      end
      require('steps').keep()
      sign_with('stock')
    end
    if arg.ok then
      local heard = require('heard')
      for _, kind in ipairs({ 'ok', 'late', 'bad' }) do
        heard.hear(state.w_cuts, kind, tonumber(arg[kind]))
      end
      if arg.load then
        state.load, state.load_until = tonumber(arg.load), now + 30000
      end
      heard.judge()
    end
    release_due()
    return 0
  end,
  -- The public value decides the order by lot.
  lot = function()
    lot.decide(lot.secret(arg.given_lot), arg.value, journal.who())
    release_due()
    return lot.drawn()
  end,
  -- The origin or an operator ends sessions.
  ['end'] = function()
    return require('ended').end_marked(arg.marks)
  end,
  draw = function()
    local draw = require('draw')
    open_period()
    return position_of((draw.arrive(draw.visit(arg.lane))))
  end,
  -- No number is drawn and no visitor goes in. Where the operator's browser holds the next number, that one is served. The journal
  -- has a line in either case.
  jump = function()
    release_due()
    local held = arg.held_born and require('ticket').place_in(lanes.main, {
      born = tonumber(arg.held_born), position = tonumber(arg.held_position),
    })
    journal.released(bound.rule())
    if held and lanes.is_next(held) and (arg.held_came == 'yes' or not events.is_redrawn(held)) then
      release.call(lanes.main, 1)
    end
    journal.note('permit', bound.rule(), journal.who(), 'jump')
    return position_of(held)
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
  end
  table.insert(memory, 'outcome')
  table.insert(memory, 'again')
  return memory
end

local function refused()
  if arg.act == 'end' and not cap.is_capped then
    return answer(0, 'outcome', 'standing')
  end
  if live.set_at[arg.act] and arg.seen and tonumber(arg.seen) ~= live.version then
    return answer(0, 'outcome', 'outdated')
  end
  local phase, begun = events.phase, events.begun
  local is_open = phase == 'open' or phase == 'drawing'
  local has_value = begun and string.match(begun.order, '~') and lot.secret(arg.given_lot)
  if arg.act == 'lot' and not has_value or lot.is_spent(arg.live_events or '') or arg.sold_out and not is_open then
    return answer(0, 'outcome', 'standing')
  end
  if arg.act == 'permit' and not mode.lets_in() then
    return answer(0, 'outcome', 'standing')
  end
  -- While a lot is awaited nothing moves the numbers that it puts in order.
  if (arg.act == 'draw' or arg.act == 'jump') and (mode.now() == 'closed' or phase == 'drawing') then
    return answer(0, 'outcome', 'standing')
  end
end

local function write_down(number)
  if entry.is_wanted then
    local words = { now, arg.who, arg.address, arg.act, number, entry.value, entry.second }
    redis.call('LPUSH', key.actions, table.concat(words, '\n'))
    redis.call('LTRIM', key.actions, 0, 499)
    redis.call('EXPIRE', key.actions, math.max(live.lifetime(), TTL.actions))
  end
end

return function()
  local other = repeated() or refused()
  if other then
    return other
  end
  local number, kept = acts[arg.act]()
  save()
  redis.call('EXPIRE', key.line, live.lifetime())
  write_down(number)
  local told = answer(number, 'kept', kept or 0)
  if arg.asked then
    redis.call('HSET', key.once, 'asked', arg.asked, unpack(told))
    redis.call('EXPIRE', key.once, TTL.once)
  end
  table.insert(told, 'outcome')
  table.insert(told, 'done')
  return told
end
