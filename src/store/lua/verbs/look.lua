-- look: release what is due and say where the sign stands, and count what the POP brings.
-- Arguments `ticket_born`, `ticket_epoch`, `ticket_position`, `ticket_seen` (the cursor when it was drawn) and `ticket_id` are
-- those of a ticket; without them no ticket asks. `lane`: its number is of that lane, `front` or a region. `ticket_came` = 'yes': its number is by lot, as `ticket_event` says. With `draws` = 'yes' a ticket that has ended draws a new number, and a called
-- visitor claims a session: `claim_bit` is the place of the ticket, by its number and its id, among those that have claimed.
local position, last = 0, nil
local ticket = arg.ticket_id and {
  id = arg.ticket_id, born = tonumber(arg.ticket_born), epoch = tonumber(arg.ticket_epoch),
  position = tonumber(arg.ticket_position), seen = tonumber(arg.ticket_seen),
}
local lane = regions.lane(arg.lane)
if ticket and lane ~= '' then
  use('lanes').take_ticket(ticket, lane)
elseif ticket then
  take_ticket(ticket)
  if is_young() then
    use('restore').witness(ticket)
  end
  -- A ticket with a number by lot says what decided it, for a line that lost that.
  if arg.ticket_event and (ticket.born == state.born or splice_of(splices, ticket.born)) then
    local lot = use('lot')
    lot.take(arg.ticket_event, ticket, 0)
    if begun then
      lot.note_drawing()
    end
  end
end
journal.come_back('ticket')
open_period()
use('counts').count_pop()
release()
local ended_news = is_capped and use('sessions').ended_news() or nil
if ticket then
  position = front.number_in(lane, ticket)
  front.says = position and arg.lane or nil
  local is_moved = position and lane == '' and arg.ticket_came ~= 'yes' and is_redrawn(position)
  if position and position <= state[lane .. 'cursor'] and not is_moved then
    local may_claim = is_capped and arg.draws == 'yes'
    -- From these news on the POP refuses the ticket.
    local is_over = may_claim and use('sessions').is_news_of(ticket.id, ended_news)
    last = may_claim and (is_over and 0 or use('sessions').claim(position, tonumber(arg.claim_bit))) or nil
  elseif position then
    local past, session = go_past(arg.lane)
    position, last = past or position, session
  elseif position == nil and arg.draws == 'yes' then
    position, last = arrive((lane ~= 'front_' or not use('lanes').was_ended(ticket)) and arg.lane or nil)
  end
end
use('counts').count()
save()
return answer(position or 0, 'claim', last, 'above', network.says, 'price', network.price, 'invited', invitation.says, 'lane', front.says, 'ended_news', ended_news, 'ended_seen', arg.ended_seen)
