-- look: releases what is due and says how the board stands, and counts what the POP brings.
-- Keys: as `join` with a ticket, and `claimed`, which of the numbers near that of the ticket have claimed a session; `outbox`, `counts`
-- and `pops`, where the POP brings counts; `ended`, with a cap.
-- Arguments: `ticket_born`, `ticket_epoch`, `ticket_visits_epoch`, `ticket_position`, `ticket_seen` (see ticket.lua) and `ticket_id` are those of a ticket; without them no ticket asks. `lane`: its number is of that lane, of a group or a region. `ticket_came` = 'yes': its
-- number is by lot, as `ticket_event` says. With `draws` = 'yes' a ticket that has ended draws a new number, and a called visitor
-- claims a session: `claim_bit` is the place of the ticket, by its number and its id, among those that have claimed. `ended_seen`: the
-- version that the POP has of the list of ended sessions. `number1`, `counts1` and so on: what was counted. `pop`: its name.
-- Answer: as `join`, and `ended_news`, what the POP does not have of the list, with `ended_seen`.

local call = require('call')
local events, rolls, cap, journal = require('events'), require('rolls'), require('cap'), require('journal')
local open_period, release = require('pace').open_period, require('release').release
local counts, save, answered = require('counts'), require('save'), require('answer').visitor
local lanes, arg = require('lanes'), call.arg

-- The ticket that asks.
local function brought()
  return arg.ticket_id and {
    id = arg.ticket_id, born = tonumber(arg.ticket_born), epoch = tonumber(arg.ticket_epoch),
    visits_epoch = tonumber(arg.ticket_visits_epoch), position = tonumber(arg.ticket_position), seen = tonumber(arg.ticket_seen),
  }, lanes.of(arg.lane or 'main')
end
-- What the ticket proves of the line.
local function take(lane, ticket)
  local of_ticket = require('ticket')
  of_ticket.take(lane, ticket)
  of_ticket.witness(lane, ticket)
  -- A ticket with a number by lot says what decided it, for a line that lost that.
  if arg.ticket_event and not rolls.has_ended(ticket.born) and of_ticket.place_in(lane, ticket) then
    local lot = require('lot')
    lot.take(arg.ticket_event, 0)
    if events.begun then
      lot.note_drawing()
    end
  end
end
-- A called visitor claims a session. From the news on that its session was ended the POP refuses the ticket.
local function claim(ticket, place, ended_news)
  if not (cap.is_capped and arg.draws == 'yes') then
    return
  elseif require('ended').is_news_of(ticket.id, ended_news) then
    return 0
  end
  return require('claim').claim(place, tonumber(arg.claim_bit))
end
-- The place of the ticket, or the one that its visitor draws, and the last minute of a session.
local function admit(lane, ticket, visit, ended_news)
  local draw, place = require('draw'), require('ticket').place_in(lane, ticket)
  if place and lanes.is_called(place) and not (arg.ticket_came ~= 'yes' and events.is_redrawn(place)) then
    return place, claim(ticket, place, ended_news)
  elseif place then
    visit.rank = lane.rank
    local has_gone, past, last = draw.go_past(visit)
    if has_gone then
      return past, last
    end
    return place
  elseif place == nil and arg.draws == 'yes' then
    visit.asked = (not lane.rank or not rolls.has_ended(ticket.born)) and arg.lane or nil
    return draw.arrive(visit)
  end
end

return function()
  local ticket, lane = brought()
  if ticket then
    take(lane, ticket)
  end
  journal.come_back('ticket')
  open_period()
  counts.count_pop()
  release()
  local ended_news = cap.is_capped and require('ended').news_since(tonumber(arg.ended_seen)) or nil
  local visit, place, last = ticket and require('draw').visit(arg.lane) or {}, nil, nil
  if ticket then
    place, last = admit(lane, ticket, visit, ended_news)
  end
  counts.count()
  save()
  return answered(visit, place, last, 'ended_news', ended_news, 'ended_seen', arg.ended_seen)
end
