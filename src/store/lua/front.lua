-- The front lane: numbers that invitations open, with a cursor and a length of their own. `queue/model/front.rs` has the same rule.
-- Invariant: within one birth of the line no number of the lane is given twice, unless a loss hid more of them than are left free.

-- The share of what is released that the lane has, in percent. `says`: the lane of the number in the answer, none for the main line.
-- `called`: from which lanes this verb has called visitors.
local front = { share = tonumber(arg.front_share) or 0, says = nil, called = {} }
-- The regions: see regions.lua. `configured`: the names that the room has now.
local regions = { list = {}, by_name = {}, configured = {} }

function front.written()
  return state.front_length > 0 and string.format('%d %d %d', state.front_cursor, state.front_length, recent('front_')) or nil
end
-- The numbers of another birth are none of this one.
function front.forget_lane(lane)
  state[lane .. 'cursor'], state[lane .. 'length'], state[lane .. 'window_from'] = 0, 0, 0
end
function front.forget()
  for i = 2, #lanes do
    front.forget_lane(lanes[i])
  end
  state.front_over = 0
  regions.forget_owed()
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
  regions.take_sign(sign.regions, is_here, is_lost)
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

-- The number of a ticket in its lane: nothing when its line or its epoch has ended, false until that is known.
function front.number_of(ticket, lane)
  if ticket.born == state.born then
    return ticket.epoch == state.epoch and ticket.position <= state[lane .. 'length'] and ticket.position or nil
  elseif is_young() then
    return false
  end
end
-- All tickets were ended since.
function front.was_ended(ticket)
  local since = ticket.born == state.born and 0 or math.floor(ticket.born / 1000)
  return math.max(ticket.epoch, since) < state.epoch
end

-- What a ticket was given is remembered together: `number invited … front … region … again`, and - where it drew no number of the
-- main line.
-- `again`: it drew once more since the line of its number was lost, which a ticket does once.
function front.memory()
  return redis.call('GET', key.draw) or ''
end
function front.is_again()
  return string.find(front.memory(), ' again$')
end
function front.keep_memory()
  redis.call('EXPIRE', key.draw, front.is_again() and TTL.again or TTL.draw)
end
function front.remember(kind, told)
  local known = front.memory()
  local parts = {
    number = string.match(known, '^%d+:%d+:%d+') or '-', invited = string.match(known, ' invited %d+ %d+ %d+') or '',
    front = string.match(known, ' front %d+:%d+:%d+') or '', again = string.match(known, ' again$') or '',
    region = string.match(known, ' region %S+ %d+:%d+:%d+') or '',
  }
  parts[kind] = told
  local memory = parts.number .. parts.invited .. parts.front .. parts.region .. parts.again
  redis.call('SET', key.draw, memory, 'EX', parts.again == '' and TTL.draw or TTL.again)
end
-- A ticket that claimed a session is not good for another number.
function front.forget_draw()
  if front.is_again() then
    redis.call('SET', key.draw, '- again', 'EX', TTL.again)
  else
    redis.call('DEL', key.draw)
  end
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
