-- look: release what is due and say where the sign stands, and count what the POP brings.
-- Arguments `epoch`, `position` and `seen` (the cursor when it was drawn) are those of a ticket; without them no ticket asks.
verbs.look = function()
  open_period()
  local position = tonumber(arg.position)
  if not position then
    release()
    position = 0
  elseif tonumber(arg.epoch) >= state.epoch then
    -- The ticket is signed, so it proves what the line had reached. After the store has lost its data the tickets rebuild
    -- it, and no visitor loses a place; otherwise these lines change nothing.
    state.epoch = tonumber(arg.epoch)
    state.length = math.max(state.length, position)
    if tonumber(arg.seen) > state.cursor then
      -- Remembered, not admitted now: the measurement begins anew.
      state.cursor = tonumber(arg.seen)
      forget_rate()
    end
    release()
  else
    -- The ticket's epoch has ended: it is no ticket, and its holder draws like any other visitor.
    position = arrive()
  end
  save()
  count()
  return answer(position)
end
