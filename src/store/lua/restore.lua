-- How a line that lost its data comes back, piece by piece.
-- Gives `begin_new_data`, `take_line`, `witness`.

local call, record, birth, lanes = require('call'), require('record'), require('birth'), require('lanes')
local events, gaps, pieces, rate = require('events'), require('gaps'), require('pieces'), require('rate')
local state, texts, main = record.state, record.texts, lanes.main
-- So many tickets of one birth restore their line.
local WITNESSES = 3

-- Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it.
local function lend(credit)
  if state.set_credit == 1 then
    return
  end
  state.credit = state.credit - math.min(state.lent, state.credit) + credit
  state.lent = credit
end

-- The store has lost data, so no copy may show the last numbers that were given: what is drawn from now on moves when a
-- better copy comes.
local function begin_new_data(line, after)
  birth.begin_data(math.max(call.now, state.started + 1, after + 1))
  state.adopted, state.sealed, state.lent, state.set_credit = 0, 0, state.credit, 0
  require('sessions').begin_ring()
  pieces.lay(line, { born = state.started, many = 0 })
end

-- How many numbers of this piece, and of those behind it, these data know in front of their own.
local function known_from(piece)
  local own, begin = birth.own_splice(), gaps.begin_of(piece.born)
  return begin and math.max(gaps.known_end(main, own and own.offset or main.length) - begin, 0) or 0
end
-- Beside the lines of regions the line goes past the numbers that are left free behind what a copy knows: they would have a share of
-- each release. `last` is the last piece that the copy knows, where these data begin behind it.
local function leave_gap(last, known)
  local own, splices = birth.own_splice(), birth.splices
  local piece = gaps.last_of({ unpack(splices, 1, #splices - 1) }, state.born)
  local is_next = own == splices[#splices] and piece.born == last.born and piece.offset == last.offset
  if lanes.has_regions() and own and is_next and known < own.offset then
    main.gap, main.gap_end = known, own.offset
  end
end
-- What a copy says of the line besides its numbers; `base` was the line before it came.
local function take_values(copy, base, has_moved)
  if has_moved then
    lend(copy.credit)
  end
  if copy.sessions and copy.sessions.told_ms > state.ring_told then
    require('sessions').take(copy.sessions)
  end
  if state.born == base then
    state.epoch = math.max(state.epoch, copy.epoch)
    rate.take_cursor(copy.cursor)
  else
    state.epoch, main.cursor = copy.epoch, math.min(copy.cursor, main.length)
  end
end
-- By what a copy knows of it: `has_lost` where the store has lost what it knows, by data of before them where it is late.
local function take_line(copy, is_late, has_lost)
  local of, base, started, adopted = copy.birth, state.born, state.started, state.adopted
  local told = of.splices or {}
  local last = gaps.last_of(told, of.born)
  local known = last.offset + known_from(last)
  local line = pieces.of(of.born, of.settled, told, gaps.behind(copy.length, of.recent))
  if has_lost then
    local cleared = is_late and state.set_credit or 0
    if is_late then
      line = pieces.joined(line, pieces.here())
      if events.begun and require('lot').is_undecided() then
        require('lot').count_anew()
      end
    elseif birth.is_young() and adopted == 0 then
      -- After a clock was set back, new data seem older than those that the copy knows.
      local _, own = pieces.before(pieces.behind_these())
      pieces.grow(line, own)
    else
      state.settled = birth.settled
      line = pieces.joined(pieces.here(), line)
    end
    begin_new_data(line, of.started)
    state.set_credit = cleared
  else
    local before_these, own = pieces.before(main.length)
    pieces.lay(pieces.joined(before_these, line), own)
  end
  if of.born == state.born then
    take_values(copy, base, state.started ~= started or state.adopted ~= adopted)
    leave_gap(last, math.max(known, copy.length))
  end
end

-- When no copy has come, three tickets of one birth restore their line. Of several births the youngest counts.
local function witness(ticket)
  local is_time = birth.is_young() and birth.data_age() >= birth.SETTLE and state.adopted == 0
  if not is_time or ticket.born >= state.started or birth.splice_of(birth.splices, ticket.born) then
    return
  end
  local born, epoch, position, seen, ids = string.match(record.stored.proofs or '', '^(%d+) (%d+) (%d+) (%d+) (.*)$')
  born = tonumber(born)
  if born and born > ticket.born then
    return
  elseif born ~= ticket.born then
    born, epoch, position, seen, ids = ticket.born, 0, 0, 0, ''
  end
  epoch, position = math.max(epoch, ticket.epoch), math.max(position, ticket.position)
  seen = math.max(seen, math.min(ticket.seen, ticket.position))
  local known, many = false, 0
  for id in string.gmatch(ids, '%S+') do
    known, many = known or id == ticket.id, many + 1
  end
  if not known then
    ids, many = ids .. ticket.id .. ' ', many + 1
  end
  if many >= WITNESSES then
    local line, own = pieces.before(main.length)
    pieces.grow(line, { born = born, many = position + gaps.LEAST })
    pieces.lay(line, own)
    gaps.leave_all_free()
    -- Nobody has said who waits in the lanes: the free numbers wait with them.
    gaps.forget()
    state.epoch, main.cursor, texts.proofs = epoch, seen, false
  else
    texts.proofs = string.format('%d %d %d %d %s', born, epoch, position, seen, ids)
  end
end

return { begin_new_data = begin_new_data, take_line = take_line, witness = witness }
