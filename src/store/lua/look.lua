-- look: release what is due and say where the sign stands, and count what the POP brings.
-- Arguments `ticket_born`, `ticket_epoch`, `ticket_position`, `ticket_seen` (the cursor when it was drawn) and `ticket_id` are
-- those of a ticket; without them no ticket asks. With `draws` = 'yes' a ticket that has ended draws a new number.
verbs.look = function()
  local position = 0
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
    if position == nil and arg.draws == 'yes' then
      position = arrive()
    end
  end
  count()
  save()
  return answer(position or 0)
end
