-- look: release what is due and say where the sign stands.
-- ARGV[4] the ticket's epoch, ARGV[5] its position, ARGV[6] the cursor when it was drawn; position 0: nobody's look.
local ticket_epoch, position, seen = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
open_period()
if position == 0 then
  release()
elseif ticket_epoch >= epoch then
  -- The ticket is signed, so it proves what the line had reached. After the store has lost its memory
  -- the tickets rebuild it, and nobody loses a place; otherwise these three lines change nothing.
  epoch = ticket_epoch
  length = math.max(length, position)
  cursor = math.max(cursor, seen)
  release()
else
  -- The ticket's epoch has ended: it is no ticket, and its holder draws like anybody else.
  position = arrive()
end
save()
return answer(position)
