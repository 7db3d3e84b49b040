-- look: releases what is due and says how the board stands, and counts what the POP brings.
-- Keys: as `join` with a ticket, and `claimed`, which of the numbers near that of the ticket have claimed a session; `till`, `counts`
-- and `pops`, where the POP brings counts; `ended`, with a cap.
-- Arguments: `ticket_born`, `ticket_epoch`, `ticket_position`, `ticket_seen` (the cursor when it was drawn) and `ticket_id` are
-- those of a ticket; without them no ticket asks. `lane`: its number is of that lane, `front` or a region. `ticket_came` = 'yes': its
-- number is by lot, as `ticket_event` says. With `draws` = 'yes' a ticket that has ended draws a new number, and a called visitor
-- claims a session: `claim_bit` is the place of the ticket, by its number and its id, among those that have claimed. `ended_seen`: the
-- version that the POP has of the list of ended sessions. `number1`, `counts1` and so on: what was counted. `pop`: its name.
-- Answer: as `join`, and `ended_news`, what the POP does not have of the list, with `ended_seen`.

local call, state = require('call'), require('record').state
local events, birth, cap, journal = require('events'), require('birth'), require('cap'), require('journal')
local open_period, release = require('pace').open_period, require('release').release
local counts, save, answer = require('counts'), require('save'), require('answer')
local lanes, arg = require('lanes'), call.arg

-- The ticket that asks.
local function brought()
  return arg.ticket_id and {
    id = arg.ticket_id, born = tonumber(arg.ticket_born), epoch = tonumber(arg.ticket_epoch),
    position = tonumber(arg.ticket_position), seen = tonumber(arg.ticket_seen), lane = lanes.of(arg.lane or 'main'),
  }
end
-- What the ticket proves of the line.
local function take(ticket)
  if ticket.lane ~= lanes.main then
    require('gaps').take_ticket(ticket, ticket.lane)
  else
    require('ticket').take(ticket)
    if birth.is_young() then
      require('restore').witness(ticket)
    end
  end
  -- A ticket with a number by lot says what decided it, for a line that lost that.
  if arg.ticket_event and (ticket.born == state.born or birth.splice_of(birth.splices, ticket.born)) then
    local lot = require('lot')
    lot.take(arg.ticket_event, ticket, 0, ticket.lane.name)
    if events.begun then
      lot.note_drawing()
    end
  end
end
-- A called visitor claims a session. From the news on that its session was ended the POP refuses the ticket.
local function claim(ticket, visit, number, ended_news)
  if not (cap.is_capped and arg.draws == 'yes') then
    return
  elseif require('ended').is_news_of(ticket.id, ended_news) then
    return 0
  end
  return require('claim').claim(visit.lane, number, tonumber(arg.claim_bit))
end
-- The number of the ticket, or the one that its visitor draws, and the last minute of a session.
local function admit(ticket, visit, ended_news)
  local draw, lane = require('draw'), ticket.lane
  local number = require('ticket').number_in(lane, ticket)
  visit.lane = number and arg.lane or nil
  local is_moved = number and arg.ticket_came ~= 'yes' and events.is_redrawn(lane, number)
  if number and number <= lane.cursor and not is_moved then
    return number, claim(ticket, visit, number, ended_news)
  elseif number then
    local past, last = draw.go_past(visit)
    return past or number, last
  elseif number == nil and arg.draws == 'yes' then
    visit.asked = (lane ~= lanes.front or not birth.was_ended(ticket)) and arg.lane or nil
    return draw.arrive(visit)
  end
  return 0
end

return function()
  local ticket = brought()
  if ticket then
    take(ticket)
  end
  journal.come_back('ticket')
  open_period()
  counts.count_pop()
  release()
  local ended_news = cap.is_capped and require('ended').news_since(tonumber(arg.ended_seen)) or nil
  local visit, number, last = ticket and require('draw').visit(arg.lane) or {}, 0, nil
  if ticket then
    number, last = admit(ticket, visit, ended_news)
  end
  counts.count()
  save()
  return answer(number, 'claim', last, 'above', visit.above, 'price', visit.price, 'invited', visit.invited, 'lane', visit.lane,
    'ended_news', ended_news, 'ended_seen', arg.ended_seen)
end
