-- How a visitor comes to a number.
-- A visit is what one call knows of its visitor: `asked`, the name of the lane in which the number is, or was before the line was lost;
-- `rank`, of the group in whose lane it waits; `invited`, what became of the invitation that the visitor brings; `above` and `price`, whether the draw was above the bound of its
-- network, and what one costs there.
-- A visitor draws in the lane of a group by an invitation, else in the lane of a region: of the ticket's, while the room has it, or of the one
-- where the visitor is, which the argument `home` names. All others draw in the main line.
-- Gives `visit`, `arrive`, `go_past`.

local call = require('call')
local events, mode, lanes, cap = require('events'), require('mode'), require('lanes'), require('cap')
local memory, release = require('memory'), require('release').release
local arg, key = call.arg, call.key

local function visit(asked)
  return { asked = asked, invited = arg.invite and 'kept' }
end

-- By an invitation, or by a number of a group that was lost: whether either opens a way, and what `arrive` gives.
local function go_past(of)
  if arg.invite or of.asked and not lanes.is_region(of.asked) then
    return require('invite').go_past(of)
  end
end

-- What the ticket drew before, when the answer was lost.
local function drawn_before()
  local text = memory.read()
  if text == '' then
    return
  end
  local born, position = string.match(text, '^(%d+):(%d+)')
  local place = born and require('ticket').place_in(lanes.main, { born = tonumber(born), position = tonumber(position) })
  if not place and string.find(text, ' region:', 1, true) then
    place = select(2, require('lane_draw').before('region'))
  end
  return place
end
local function lane_without_invitation(of)
  return lanes.of(of.asked and lanes.is_region(of.asked) and of.asked or arg.home or 'main')
end
-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room, and a network above its bound, gives no new number. Besides: whether it was drawn before.
local function draw(of)
  local place = drawn_before()
  if place then
    memory.keep()
    return place, true
  elseif mode.now() == 'closed' then
    return
  end
  local pays
  if key.network then
    local lets
    lets, pays, of.above, of.price = require('network').lets_draw()
    if not lets then
      return
    end
  end
  local lane = lane_without_invitation(of)
  if lane ~= lanes.main then
    return require('lane_draw').draw('region', lane, pays)
  end
  place = lanes.draw(lane)
  memory.remember('number', string.format('%d:%d', place.of.born, place.number), pays)
  return place
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget. The place, nothing for none, and the last
-- minute of the session, where a cap holds and one was claimed.
local function arrive(of)
  if cap.is_capped then
    local place, last, is_same = require('claim').claimed_before()
    if place then
      return place, is_same and last or -1
    end
  end
  release()
  local has_gone, place, last = go_past(of)
  if has_gone then
    return place, last
  end
  local is_repeated
  place, is_repeated = draw(of)
  release()
  -- A visitor whom the lot moved learns the number first.
  if place and lanes.is_called(place) and not events.is_redrawn(place) then
    return place, cap.is_capped and require('claim').straight(place, is_repeated) or nil
  end
  return place
end

return { visit = visit, arrive = arrive, go_past = go_past }
