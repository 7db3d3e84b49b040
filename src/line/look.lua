-- look: release what is due and say where the sign stands.
-- KEYS[3] the memory of this ticket's draw. ARGV[5] the ticket's epoch, ARGV[6] its position, ARGV[7] the cursor when it
-- was drawn; position 0: nobody's look. KEYS[4] what was counted, KEYS[5] and on the tills, ARGV[8] and on what they send.
count(4, 8)
local ticket_epoch, position, seen = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
open_period()
if position == 0 then
  release()
elseif ticket_epoch >= epoch then
  -- The ticket is signed, so it proves what the line had reached. After the store has lost its memory
  -- the tickets rebuild it, and nobody loses a place; otherwise these lines change nothing.
  epoch = ticket_epoch
  length = math.max(length, position)
  if seen > cursor then
    -- Remembered, not admitted now: what is measured begins anew.
    cursor = seen
    forget_rate()
  end
  release()
else
  -- The ticket's epoch has ended: it is no ticket, and its holder draws like anybody else.
  position = arrive(KEYS[3])
end
save()
return answer(position)
