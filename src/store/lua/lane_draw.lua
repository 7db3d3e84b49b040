-- Numbers of other lanes than the main one, and what is remembered of them. `kind` is `front` for the lane that invitations open and
-- `region` for one of a region: a ticket may have drawn one of each.
-- Gives `draw` and `before`.

local state, lanes, memory, ticket = require('record').state, require('lanes'), require('memory'), require('ticket')

-- `pays`: a calculation buys the number.
local function draw(kind, lane, pays)
  local number = lanes.draw(lane)
  memory.remember(kind, string.format(' %s:%s %d:%d:%d', kind, lane.name, state.born, state.epoch, number), pays)
  return number
end
-- What the same ticket drew before, when the answer was lost: the birth, the epoch and the number as they were; the number that it is
-- here, where it is still one; and the lane.
local function before(kind)
  local name, born, epoch, position = string.match(memory.read(), ' ' .. kind .. ':(%S+) (%d+):(%d+):(%d+)')
  if not name then
    return
  end
  local lane = lanes.of(name)
  local drawn = { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
  return drawn, ticket.number_in(lane, drawn), lane
end

return { draw = draw, before = before }
