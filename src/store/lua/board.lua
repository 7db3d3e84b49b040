-- The board: the small public state of the line as one JSON text. The edge reads it, a POP keeps it as it came, and a store that lost
-- its data takes it back (see copy.lua). `queue/board.rs` has the same names.
-- Invariant: cjson writes what serde reads. A list without an entry is left out, since it would be written as {}; no number has more
-- than 14 digits, since more are rounded; and no list is keyed by numbers with gaps.
-- A function without arguments; returns the text.

local call, record, live = require('call'), require('record'), require('live')
local events, health, mode, rolls = require('events'), require('health'), require('mode'), require('rolls')
local lanes, cap, journal = require('lanes'), require('cap'), require('journal')
local state, main = record.state, lanes.main

-- How fast a lane moved, where that is known.
local function measured(lane)
  local since, released = lane.since, lane.called - lane.from
  if since > 0 and released > 0 then
    local moved = lane.moved
    return { released = released, took_ms = moved - since, moved_ms = moved, step_ms = lane.step }
  end
end
local is_cut = health.setting and state.w_open == 1
local function stretches_of(lane)
  local list = {}
  for i, of in ipairs(lane.stretches) do
    list[i] = {
      born = of.born, served = of.served, drawn = of.drawn, cut_at = is_cut and of.cut > 0 and of.cut or nil,
      lapsed = cap.is_capped and of.lapsed > 0 and of.lapsed or nil,
    }
  end
  return list[1] and list or nil
end
local function others()
  local list = {}
  for i = 2, #lanes.list do
    local lane = lanes.list[i]
    if lanes.sum(lane, 'drawn') > 0 then
      table.insert(list, { name = lane.name, rolls = stretches_of(lane), measured = measured(lane) })
    end
  end
  return list[1] and list or nil
end
local function settings()
  local set_at
  for i = 1, #live.NAMES do
    local name = live.NAMES[i]
    if live.set_at[name] > 0 then
      set_at = set_at or {}
      set_at[name] = live.set_at[name]
    end
  end
  local set = live.set
  local automatic, quantity = live.automatic, live.quantity
  if live.held.pace then
    automatic, quantity = set.automatic or tonumber(call.arg.automatic), set.quantity or tonumber(call.arg.quantity)
  end
  return {
    mode = set.mode or 'automatic', paced = set.automatic ~= nil, version = live.version,
    pace = { automatic = automatic, quantity = quantity },
    message = set.message, cap = set.cap, shares = live.shares,
    limits_event = live.shares and live.limits_at > 0 and string.format('%d %s', live.limits_at, live.limits_list or '-') or nil, events = live.events or nil, set_at = set_at,
    stock = live.stock() < math.huge and live.stock() or nil, stock_of = live.held.stock and live.stock_of or nil,
  }
end
-- What an event brings in place of that: `NAME ID SINCE UNTIL VALUE` of each, with a line break between two; 0 for no end.
local function brought()
  local values = { mode = live.mode, pace = live.automatic .. ' ' .. live.quantity, message = live.message, cap = live.cap }
  local told
  for name, by in pairs(live.held) do
    -- The stock stands beside the settings.
    if name ~= 'stock' then
      told = (told and told .. '\n' or '') .. string.format('%s %s %d %d %s', name, by.by, by.from, by.to, values[name])
    end
  end
  return told
end
local function event()
  local current = events.current
  if current then
    return {
      phase = events.phase, told_ms = call.now,
      -- Its end may be so late that its time has more than 14 digits.
      event = string.format('%s:%d:%d:%d:%s%s', current.id, current.prequeue, current.opens, current.closes,
        require('lot').order_now(), current.more),
    }
  end
end
local function origin()
  return health.setting and {
    holds = mode.is_held(), cuts = state.w_cuts, is_cut = is_cut,
    is_slowed = health.is_slowed(),
  } or nil
end

return function()
  return cjson.encode({
    format = state.format, own = state.own, merged = state.merged, young = rolls.is_young(), epoch = state.epoch,
    visits_epoch = state.visits_epoch, rolls = stretches_of(main), credit = state.credit, measured = measured(main),
    pops = state.pops > 0 and state.pops or nil, live = settings(), brought = brought(),
    head = journal.shown and string.sub(journal.shown, 1, 16), lines = journal.shown and journal.shown_seq,
    event = event(), begun = events.begun and require('lot').written(),
    lanes = others(), slowed = record.text_of('slowed'),
    over = call.arg.turn_minutes and require('turns').shown() or nil,
    sessions = cap.is_capped and require('sessions').shown() or nil,
    origin = origin(),
  })
end
