-- What a ticket proves, and its number in this line. The edge reads the same from a copy of the sign
-- (`queue/birth.rs`).

-- The greatest number that tickets of a birth may have here: where the next piece begins.
local function greatest(born, offset)
  local last = state.length
  for _, splice in ipairs(splices) do
    if splice.offset > offset and (born ~= state.born or is_young() and splice.born > state.settled) then
      last = math.min(last, splice.offset)
    end
  end
  return last
end

-- A ticket proves what its piece of the line had reached. A line of the version before has no birth, so any ticket of that
-- version may be of another line: it proves nothing.
local function take_ticket(ticket)
  local is_base = ticket.born == state.born
  local splice = not is_base and splice_of(splices, ticket.born)
  if not splice and not (is_base and state.started > 0) then
    return
  end
  local offset = splice and splice.offset or 0
  local last, piece = greatest(ticket.born, offset), { born = ticket.born, many = ticket.position + LEAST_GAP }
  if ticket.position + offset > last and last == state.length then
    local restore = use('restore')
    local line = restore.pieces_here()
    restore.grow(line, piece)
    restore.begin_new_data(line, 0)
    use('lanes').leave_all_free()
  elseif ticket.position + offset > last and is_young() then
    local restore = use('restore')
    local line, own = restore.pieces_before(state.length)
    restore.grow(line, piece)
    restore.lay(line, own)
  end
  if state.gap_end > 0 and ticket.born ~= state.started then
    use('lanes').show_held('', ticket.position + offset)
  end
  if is_base then
    state.epoch = math.max(state.epoch, ticket.epoch)
    take_cursor(math.min(ticket.seen, ticket.position))
  end
end

-- The number of a ticket in this line: nothing when its line or its epoch has ended, false until that is known.
local function number_of(ticket)
  local splice = splice_of(splices, ticket.born)
  if ticket.born == state.born then
    local is_known = ticket.position <= greatest(ticket.born, 0)
    return ticket.epoch == state.epoch and is_known and ticket.position or nil
  elseif splice and ticket.position + splice.offset <= greatest(ticket.born, splice.offset) then
    return ticket.position + splice.offset
  elseif is_young() then
    return false
  end
end
-- The same in the lane whose fields begin so.
function front.number_in(lane, ticket)
  if lane == '' then
    return number_of(ticket)
  end
  return front.number_of(ticket, lane)
end
