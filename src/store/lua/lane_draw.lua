-- How a number of the front lane or of a region is drawn.
-- Gives `in_front`, `before_in_front`, `in_region`, `before_in_region`.

local state, lanes, memory, ticket = require('record').state, require('lanes'), require('memory'), require('ticket')

local function in_front()
  local number = lanes.draw(lanes.front)
  memory.remember('front', string.format(' front %d:%d:%d', state.born, state.epoch, number))
  return number
end
-- What the same ticket drew there before, when the answer was lost.
local function before_in_front()
  local born, epoch, position = string.match(memory.read(), ' front (%d+):(%d+):(%d+)')
  return born and { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
end

-- `name`: the region, as answers give it. `pays`: a calculation buys the number.
local function in_region(name, pays)
  local number = lanes.draw(lanes.of(name))
  memory.remember('region', string.format(' region %s %d:%d:%d', name, state.born, state.epoch, number), pays)
  return number
end
-- The number that the same ticket drew there before, where it still has it, and the name of the region.
local function before_in_region()
  local name, born, epoch, position = string.match(memory.read(), ' region (%S+) (%d+):(%d+):(%d+)')
  local drawn = name and { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
  local number = drawn and ticket.number_in(lanes.of(name), drawn)
  return number, number and name or nil
end

return { in_front = in_front, before_in_front = before_in_front, in_region = in_region, before_in_region = before_in_region }
