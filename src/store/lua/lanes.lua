-- What happens to the numbers of the front lane and of regions. `queue/model/front.rs` has the same rule.

-- The numbers of another birth are none of this one.
function front.forget_lane(lane)
  state[lane .. 'cursor'], state[lane .. 'length'], state[lane .. 'window_from'] = 0, 0, 0
end
function front.forget()
  for i = 2, #lanes do
    front.forget_lane(lanes[i])
  end
  state.front_over = 0
  if regions.list[1] then
    regions.forget_owed()
  end
end
-- Whether the room has this lane now.
function front.has(lane)
  return lane == 'front_' and front.share > 0 or regions.configured[string.sub(lane, 1, -2)]
end
-- Data were lost: numbers are left free behind those that are known, of which `length` and `lately` are a copy's.
function front.leave_free(lane, length, lately)
  if front.has(lane) or state[lane .. 'length'] > 0 or length > 0 then
    state[lane .. 'length'] = math.max(behind(length, lately), behind(state[lane .. 'length'], recent(lane)))
    state[lane .. 'window_from'] = state[lane .. 'length']
  end
end
function front.leave_all_free()
  for i = 2, #lanes do
    front.leave_free(lanes[i], 0, 0)
  end
end
function front.take_cursor(lane, cursor)
  if cursor > state[lane .. 'cursor'] then
    state[lane .. 'cursor'] = cursor
    front.forget_rate(lane)
  end
end
-- What a copy of the sign knows of a lane.
function front.take_copy(lane, copy, is_lost)
  if copy.length > state[lane .. 'length'] or is_lost then
    front.leave_free(lane, copy.length, copy.recent)
  end
  front.take_cursor(lane, copy.cursor)
end
function front.take_sign(sign, is_lost)
  local is_here = sign.born == state.born
  local cursor, length, lately = string.match(is_here and sign.front or '0 0 0', '^(%d+) (%d+) (%d+)$')
  front.take_copy('front_', { cursor = tonumber(cursor), length = tonumber(length), recent = tonumber(lately) }, is_lost)
  if sign.regions or regions.list[1] then
    use('regions').take_sign(sign.regions, is_here, is_lost)
  end
end
-- A ticket proves what its lane had reached.
function front.take_ticket(ticket, lane)
  if ticket.born ~= state.born or state.started == 0 then
    return
  end
  state.epoch = math.max(state.epoch, ticket.epoch)
  if ticket.position > state[lane .. 'length'] then
    state[lane .. 'length'] = ticket.position + LEAST_GAP
    state[lane .. 'window_from'] = state[lane .. 'length']
  end
  front.take_cursor(lane, math.min(ticket.seen, ticket.position))
end

-- All tickets were ended since.
function front.was_ended(ticket)
  local since = ticket.born == state.born and 0 or math.floor(ticket.born / 1000)
  return math.max(ticket.epoch, since) < state.epoch
end

function front.draw()
  count_draw('front_')
  state.front_length, state.drawn = state.front_length + 1, state.drawn + 1
  front.remember('front', string.format(' front %d:%d:%d', state.born, state.epoch, state.front_length))
  return state.front_length
end
-- What the same ticket drew before, when the answer was lost.
function front.drawn_before()
  local born, epoch, position = string.match(front.memory(), ' front (%d+):(%d+):(%d+)')
  return born and { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
end

return front
