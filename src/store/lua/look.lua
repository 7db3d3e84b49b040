-- look: release what is due and say where the sign stands, and count what the POP brings.
-- Arguments `ticket_born`, `ticket_epoch`, `ticket_position`, `ticket_seen` (the cursor when it was drawn) and `ticket_id` are
-- those of a ticket; without them no ticket asks. With `draws` = 'yes' a ticket that has ended draws a new number. A called visitor
-- claims a session: `claim_bit` is the place of the ticket's number among those that have been claimed.
verbs.look = function()
  local position, last = 0, nil
  local ticket = arg.ticket_id and {
    id = arg.ticket_id, born = tonumber(arg.ticket_born), epoch = tonumber(arg.ticket_epoch),
    position = tonumber(arg.ticket_position), seen = tonumber(arg.ticket_seen),
  }
  if ticket then
    take_ticket(ticket)
    witness(ticket)
  end
  open_period()
  count_pop()
  release()
  if ticket then
    position = number_of(ticket)
    if position and position <= state.cursor then
      last = claim(position, tonumber(arg.claim_bit))
    elseif position == nil and arg.draws == 'yes' then
      position, last = arrive()
    end
  end
  count()
  save()
  return answer(position or 0, 'claim', last, 'ended_news', ended_news(), 'ended_seen', arg.ended_seen)
end
