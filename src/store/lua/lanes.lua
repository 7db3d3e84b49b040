-- What happens to the numbers of the front lane and of regions.

function front.forget_gap(lane)
  state[lane .. 'gap'], state[lane .. 'gap_end'] = 0, 0
end
function front.forget_gaps()
  for _, lane in ipairs(lanes) do
    front.forget_gap(lane)
  end
end
-- The numbers of another birth are none of this one.
function front.forget_lane(lane)
  state[lane .. 'cursor'], state[lane .. 'length'], state[lane .. 'window_from'] = 0, 0, 0
  turns.forget(lane)
end
function front.forget()
  front.forget_gaps()
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
-- Where the numbers end that visitors are known to hold: behind them may be those that a loss left free.
function front.known_end(lane, last)
  return state[lane .. 'gap_end'] == last and state[lane .. 'gap'] or last
end
-- How many numbers that were left free are in front of visitors who drew since, and not passed.
function front.free_ahead(lane)
  local ends = state[lane .. 'gap_end']
  return ends < state[lane .. 'length'] and ends - math.max(state[lane .. 'gap'], state[lane .. 'cursor']) or 0
end
-- Data were lost: numbers are left free behind those that are known here and by a copy. Where these data are of before the loss, what
-- they know is old too.
function front.leave_free(lane, copy, are_old)
  local length = state[lane .. 'length']
  local last = are_old and length > 0 and behind(length, recent(lane)) or length
  if copy.length > 0 or length == 0 and front.has(lane) then
    last = math.max(last, behind(copy.length, copy.recent))
  end
  if last > length then
    local free = math.max(front.known_end(lane, length), copy.length)
    -- One row of free numbers is kept: the longer one.
    if are_old or last - free > front.free_ahead(lane) then
      state[lane .. 'gap'], state[lane .. 'gap_end'] = free, last
    end
    state[lane .. 'length'], state[lane .. 'window_from'] = last, last
  end
end
function front.leave_all_free()
  for i = 2, #lanes do
    front.leave_free(lanes[i], { cursor = 0, length = 0, recent = 0 }, true)
  end
end
-- A visitor holds this number, so it is not among those that a loss left free, nor are those before it. A number behind them may have
-- been drawn since.
function front.show_held(lane, number)
  if number > state[lane .. 'gap'] and number <= state[lane .. 'gap_end'] then
    state[lane .. 'gap'] = number
  end
end
function front.take_cursor(lane, cursor)
  if cursor > state[lane .. 'cursor'] then
    state[lane .. 'cursor'] = cursor
    front.forget_rate(lane)
  end
end
function front.last_of(list, born)
  return list[#list] or { born = born, offset = 0 }
end
-- Behind which number the piece of this birth begins here.
function front.begin_of(born)
  local piece = splice_of(splices, born)
  return born == state.born and 0 or piece and piece.offset
end
-- Whether a copy or a ticket says something of this line: where it was begun anew on purpose, the numbers of before are of no use.
function front.is_of_this(known)
  return known.born == state.born and (known.epoch >= state.epoch or state.sealed == 0)
end
-- Whether a copy shows more of the front lane or of a region.
function front.are_behind(sign)
  local lines = { { 'front_', string.match(sign.front or '', '^(%d+) (%d+)') } }
  for name, cursor, length in string.gmatch(sign.regions or '', '([^ ;]+) (%d+) (%d+)[^;]*') do
    table.insert(lines, { name .. ' ', cursor, length })
  end
  for _, line in ipairs(lines) do
    local lane, cursor, length = line[1], tonumber(line[2] or 0), tonumber(line[3] or 0)
    if length > (state[lane .. 'length'] or 0) or cursor > (state[lane .. 'cursor'] or 0) then
      return true
    end
  end
  return false
end
-- What a copy of the sign knows of a lane.
function front.take_copy(lane, copy, is_lost, are_old)
  if front.is_of_others then
    -- It may show more of this lane alone.
    is_lost = is_lost or is_young() and copy.length > 0
    front.show_held(lane, math.min(copy.length, state[lane .. 'gap_end']))
  end
  if copy.length > state[lane .. 'length'] or is_lost then
    front.leave_free(lane, copy, are_old)
  end
  front.take_cursor(lane, copy.cursor)
end
-- The same in the main line, also where its pieces move no more.
function front.show_main(sign)
  local last = front.last_of(read_splices(sign.splices), sign.born)
  local begin = front.begin_of(last.born)
  if begin then
    front.show_held('', math.min(begin + sign.length - last.offset, state.gap_end))
  end
end
function front.take_sign(sign, is_lost, are_old)
  -- A copy of these data knows no more of what they left free.
  front.is_of_others = sign.started ~= state.started
  local is_here = front.is_of_this(sign)
  if front.is_of_others and is_here then
    front.show_main(sign)
  end
  local cursor, length, lately = string.match(is_here and sign.front or '0 0 0', '^(%d+) (%d+) (%d+)$')
  front.take_copy('front_', { cursor = tonumber(cursor), length = tonumber(length), recent = tonumber(lately) }, is_lost, are_old)
  if sign.regions or regions.list[1] then
    use('regions').take_sign(is_here and sign.regions, is_lost, are_old)
  end
end
-- A ticket proves what its lane had reached.
function front.take_ticket(ticket, lane)
  if not front.is_of_this(ticket) or state.started == 0 then
    return
  end
  state.epoch = math.max(state.epoch, ticket.epoch)
  front.show_held(lane, ticket.position)
  if ticket.position > state[lane .. 'length'] then
    front.forget_gap(lane)
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
