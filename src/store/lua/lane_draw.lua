-- Numbers of other lanes than the main one, and what is remembered of them. `kind` is `group` for one that invitations open and
-- `region` for one of a region: a ticket may have drawn one of each.
-- Gives `draw` and `before`.

local lanes, memory, ticket = require('lanes'), require('memory'), require('ticket')

-- `pays`: a calculation buys the number.
local function draw(kind, lane, pays)
  local place = lanes.draw(lane)
  memory.remember(kind, string.format(' %s:%s %d:%d', kind, lane.name, place.of.born, place.number), pays)
  return place
end
-- What the same ticket drew before, when the answer was lost: the lane, the roll and the number; and the place here, where it still has one.
local function before(kind)
  local name, born, position = string.match(memory.read(), ' ' .. kind .. ':(%S+) (%d+):(%d+)')
  if name then
    local drawn = { lane = name, born = tonumber(born), position = tonumber(position) }
    return drawn, ticket.place_in(lanes.of(name), drawn)
  end
end

return { draw = draw, before = before }
