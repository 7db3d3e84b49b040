-- The steps of events in the journal: each phase, and each setting that an event brings, or gives back at its end, is told once, and so is
-- a stock that counts while its event runs.
-- Gives `follow`, by which a call tells what its time has brought; `settle`, by which what an operator has just set is told by the operator's
-- line alone, but for a stock that counts from now on, or no longer; `keep`, which tells nothing.

local record, live = require('record'), require('live')
local events, journal = require('events'), require('journal')
local stored, texts = record.stored, record.texts

local function tell(id, what)
  journal.note('change', '-', journal.word('event:' .. id), journal.word(what))
end
local function value_of(name)
  if name == 'pace' then
    return live.automatic .. ':' .. live.quantity
  elseif name == 'stock' then
    return live.stock() < math.huge and string.format('%d', live.stock()) or '-'
  end
  return live[name] or '-'
end

-- Which event brings each setting, as was told last; `brought` keeps `NAME=ID` of each.
local told = {}
for name, id in string.gmatch(stored.brought or '', '(%l+)=(%S+)') do
  told[name] = id
end
local function keep()
  local held = {}
  told = {}
  for _, name in ipairs(live.NAMES) do
    local by = live.held[name]
    if by then
      told[name] = by.by
      table.insert(held, name .. '=' .. by.by)
    end
  end
  local brought = held[1] and table.concat(held, ' ') or false
  texts.brought = nil
  if brought ~= (stored.brought or false) then
    texts.brought = brought
  end
end
local function tell_of(names)
  for _, name in ipairs(names) do
    local id = live.held[name] and live.held[name].by
    if id ~= told[name] then
      tell(id or told[name], name .. ':' .. value_of(name))
    end
  end
end
local function settle()
  tell_of({ 'stock' })
  keep()
end

-- `stage` is the event and its phase.
local function follow()
  local current = events.current
  local stage = current and current.id .. ' ' .. events.phase
  if stage and stage ~= stored.stage and (stored.stage or events.phase ~= 'before') then
    tell(current.id, 'phase:' .. events.phase)
    texts.stage = stage
  end
  tell_of(live.NAMES)
  keep()
end

return { follow = follow, settle = settle, keep = keep }
