-- How a visitor comes to a number.
-- A visit is what one call knows of its visitor: `asked`, the name of the lane in which the number is, or was before the line was lost;
-- `lane`, the name of the lane of the number that the answer has, nil for the main line; `invited`, what became of the invitation that
-- the visitor brings; `above` and `price`, whether the draw was above the bound of its network, and what one costs there.
-- A visitor draws in the front lane by an invitation, else in the lane of a region: of the ticket's, while the room has it, or of the one
-- where the visitor is, which the argument `home` names. All others draw in the main line.
-- Gives `visit`, `arrive`, `go_past`.

local call = require('call')
local events, mode, birth, lanes, cap = require('events'), require('mode'), require('birth'), require('lanes'), require('cap')
local memory, release = require('memory'), require('release').release
local arg, key = call.arg, call.key

local function visit(asked)
  return { asked = asked, invited = arg.invite and 'kept' }
end

-- By an invitation, or by a number of the front lane that was lost: as `arrive`; nothing where neither opens a way.
local function go_past(of)
  if arg.invite or of.asked == 'front' then
    return require('invite').go_past(of)
  end
end

-- What the ticket drew before, when the answer was lost, and in which region.
local function drawn_before()
  local text = memory.read()
  if text == '' then
    return
  end
  local born, epoch, position = string.match(text, '^(%d+):(%d+):(%d+)')
  local number = born and require('ticket').number_in(lanes.main, { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) })
  if number then
    return number
  elseif string.find(text, ' region:', 1, true) then
    local _, number_there, lane = require('lane_draw').before('region')
    return number_there, number_there and lane.name or nil
  end
end
local function lane_without_invitation(of)
  local asked = of.asked and of.asked ~= 'front' and lanes.of(of.asked)
  return asked and lanes.is_configured(asked) and asked or lanes.of(arg.home or 'main')
end
-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room, and a network above its bound, gives no new number: 0. Besides: whether it was drawn before.
local function draw(of)
  local number, region = drawn_before()
  if number then
    of.lane = region
    memory.keep()
    return number, true
  elseif mode.now() == 'closed' then
    return 0
  end
  local pays
  if key.network then
    local lets
    lets, pays, of.above, of.price = require('network').lets_draw()
    if not lets then
      return 0
    end
  end
  local lane = lane_without_invitation(of)
  if lane ~= lanes.main then
    of.lane = lane.name
    return require('lane_draw').draw('region', lane, pays)
  end
  number = lanes.draw(lane)
  memory.remember('number', string.format('%d:%d:%d', birth.named(number)), pays)
  return number
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget. The number, 0 for none, and the last
-- minute of the session, where a cap holds and one was claimed.
local function arrive(of)
  if cap.is_capped then
    local number, last, is_same, lane = require('claim').claimed_before()
    if number then
      of.lane = lane
      return number, is_same and last or -1
    end
  end
  release()
  local number, last = go_past(of)
  if number then
    return number, last
  end
  local is_repeated
  number, is_repeated = draw(of)
  release()
  -- A visitor whom the lot moved learns the number first.
  local lane = lanes.of(of.lane or 'main')
  if number > 0 and number <= lane.cursor and not events.is_redrawn(lane, number) then
    return number, cap.is_capped and require('claim').straight(of.lane, number, is_repeated) or nil
  end
  return number
end

return { visit = visit, arrive = arrive, go_past = go_past }
