-- The steps of events in the journal: each phase, and each setting that an event brings, or gives back at its end, is told once.
-- A function without arguments that returns nothing.

local record, live = require('record'), require('live')
local events, journal = require('events'), require('journal')
local stored, texts = record.stored, record.texts

local function tell(id, what)
  journal.note('change', '-', journal.word('event:' .. id), journal.word(what))
end
local function value_of(name)
  if name == 'pace' then
    return live.automatic .. ':' .. live.quantity
  end
  return live[name] or '-'
end

-- `stage` is the event and its phase, `brought` is `NAME=ID` of each setting that an event brings.
return function()
  local current, held = events.current, {}
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
    if id then
      table.insert(held, name .. '=' .. id)
    end
    if id ~= before[name] then
      tell(id or before[name], name .. ':' .. value_of(name))
    end
  end
  local brought = held[1] and table.concat(held, ' ')
  if brought ~= stored.brought then
    texts.brought = brought or false
    live.version = live.version + 1
    texts.version = live.version
  end
end
