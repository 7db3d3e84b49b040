-- What a ticket proves, and its number in this line. The edge reads the same from a copy of the board
-- (`queue/birth.rs`).
-- Gives `take`, `number_in`.

local state, birth, lanes = require('record').state, require('birth'), require('lanes')
local main = lanes.main

-- The greatest number that tickets of a birth may have here: where the next piece begins.
local function greatest(born, offset)
  local last = main.length
  for _, splice in ipairs(birth.splices) do
    if splice.offset > offset and (born ~= state.born or birth.is_young() and splice.born > state.settled) then
      last = math.min(last, splice.offset)
    end
  end
  return last
end

-- A ticket proves what its piece of the line had reached. A line of the version before has no birth, so any ticket of that
-- version may be of another line: it proves nothing.
local function take(ticket)
  local is_base = ticket.born == state.born
  local splice = not is_base and birth.splice_of(birth.splices, ticket.born)
  if not splice and not (is_base and state.started > 0) then
    return
  end
  local offset = splice and splice.offset or 0
  local last, number = greatest(ticket.born, offset), ticket.position + offset
  if number > last and (last == main.length or birth.is_young()) then
    local pieces, gaps = require('pieces'), require('gaps')
    local piece = { born = ticket.born, many = ticket.position + gaps.LEAST }
    if last == main.length then
      local line = pieces.here()
      pieces.grow(line, piece)
      require('restore').begin_new_data(line, 0)
      gaps.leave_all_free()
    else
      local line, own = pieces.before(main.length)
      pieces.grow(line, piece)
      pieces.lay(line, own)
    end
  end
  if main.gap_end > 0 and ticket.born ~= state.started then
    require('gaps').show_held(main, number)
  end
  if is_base then
    state.epoch = math.max(state.epoch, ticket.epoch)
    require('rate').take_cursor(math.min(ticket.seen, ticket.position))
  end
end

local function number_in_main(ticket)
  local splice = birth.splice_of(birth.splices, ticket.born)
  if ticket.born == state.born then
    local is_known = ticket.position <= greatest(ticket.born, 0)
    return ticket.epoch == state.epoch and is_known and ticket.position or nil
  elseif splice and ticket.position + splice.offset <= greatest(ticket.born, splice.offset) then
    return ticket.position + splice.offset
  elseif birth.is_young() then
    return false
  end
end
-- The number of a ticket in this lane: nothing when its line or its epoch has ended, false until that is known.
local function number_in(lane, ticket)
  if lane == main then
    return number_in_main(ticket)
  elseif ticket.born == state.born then
    return ticket.epoch == state.epoch and ticket.position <= lane.length and ticket.position or nil
  elseif birth.is_young() then
    return false
  end
end

return { take = take, number_in = number_in }
