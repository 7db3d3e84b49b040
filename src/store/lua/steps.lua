-- The steps of events in the journal: each phase, and each setting that an event brings, or gives back at its end, is told once.
-- Gives `follow`, by which a call tells what its time has brought; `settle`, by which what an operator has just set is told by the operator's
-- line alone.

local record, live = require('record'), require('live')
local events, journal = require('events'), require('journal')
local state, stored, texts = record.state, record.stored, record.texts

local function tell(id, what)
  journal.note('change', '-', journal.word('event:' .. id), journal.word(what))
end
local function value_of(name)
  if name == 'pace' then
    return live.automatic .. ':' .. live.quantity
  end
  return live[name] or '-'
end

-- `NAME=ID` of each setting that an event brings, as `brought` keeps it.
local function brought_now()
  local held = {}
  for _, name in ipairs(live.NAMES) do
    local by = live.held[name]
    if by then
      table.insert(held, name .. '=' .. by.by)
    end
  end
  return held[1] and table.concat(held, ' ') or false
end
-- A stock ends with the event in whose time it was reported. An end that an operator sets is a whole second.
local function forget_stock()
  if live.set_at.stock < events.last_end + 1000 then
    state.stock = -1
  end
end
local function settle()
  local brought = brought_now()
  texts.brought = nil
  if brought ~= (stored.brought or false) then
    texts.brought = brought
  end
  forget_stock()
end

-- `stage` is the event and its phase.
local function follow()
  local current = events.current
  local stage = current and current.id .. ' ' .. events.phase
  if stage and stage ~= stored.stage and (stored.stage or events.phase ~= 'before') then
    tell(current.id, 'phase:' .. events.phase)
    texts.stage = stage
  end
  local before = {}
  for name, id in string.gmatch(stored.brought or '', '(%l+)=(%S+)') do
    before[name] = id
  end
  for _, name in ipairs(live.NAMES) do
    local id = live.held[name] and live.held[name].by
    if id ~= before[name] then
      tell(id or before[name], name .. ':' .. value_of(name))
    end
  end
  settle()
end

return { follow = follow, settle = settle }
