-- Who is inside, where a cap holds.
-- `ring`: how many sessions end with each minute; what is inside is their sum. `promises`: slots kept for called visitors, by
-- the second of their release, with the last number then called of each stretch: `second:slots:LANE/ROLL=number,…`.
-- Invariant: no release and no claim lifts inside + promised above the cap.
-- Gives `begin`, `free`, `claimable`, `promise`, `take_promise`, `open`, `end_of`, `note`, `leave`, `last_end`, `renew`,
-- `begin_ring`, `take`, `forget_promises`, `end_all`, `shown`, `told`, `keep`, `write`.

local call, record = require('call'), require('record')
local rolls, mode, cap = require('rolls'), require('mode'), require('cap')
local key, now, this_minute = call.key, call.now, call.minute
local state, stored, texts = record.state, record.stored, record.texts

cap.has_sessions = true
local ring, promises

local function read_ring(text)
  local cells = {}
  for minute, many in string.gmatch(text or '', '(%d+):(%d+)') do
    if tonumber(minute) >= this_minute then
      cells[tonumber(minute)] = tonumber(many)
    end
  end
  return cells
end
-- The same as a list, in the order of the minutes.
local function cells_of(of)
  local cells = {}
  for minute, many in pairs(of) do
    if many > 0 then
      table.insert(cells, { minute, many })
    end
  end
  table.sort(cells, function(a, b)
    return a[1] < b[1]
  end)
  return cells
end
local function written_ring(of)
  local cells = cells_of(of)
  for i, cell in ipairs(cells) do
    cells[i] = string.format('%d:%d', cell[1], cell[2])
  end
  return table.concat(cells, ' ')
end
local function inside()
  local sum = 0
  for _, many in pairs(ring) do
    sum = sum + many
  end
  return sum
end

local function read_promises(text)
  local list = {}
  for second, many, called in string.gmatch(text or '', '(%d+):(%d+):(%S+)') do
    local of = {}
    for name, number in string.gmatch(called, '([^=,]+)=(%d+)') do
      of[name] = tonumber(number)
    end
    table.insert(list, { second = tonumber(second), many = tonumber(many), of = of })
  end
  return list
end
local function written_promises()
  local written = {}
  for _, kept in ipairs(promises) do
    local called = {}
    for name, number in pairs(kept.of) do
      table.insert(called, string.format('%s=%d', name, number))
    end
    table.sort(called)
    table.insert(written, string.format('%d:%d:%s', kept.second, kept.many, table.concat(called, ',')))
  end
  return table.concat(written, ' ')
end
local function promised()
  local sum = 0
  for _, kept in ipairs(promises) do
    sum = sum + kept.many
  end
  return sum
end

-- Visitors who were released in this stretch have their slots for `claim_seconds`.
local function promise(stretch, many)
  local second, last = math.floor(now / 1000), promises[#promises]
  if many == 0 then
    return
  elseif not last or last.second < second then
    last = { second = second, many = 0, of = {} }
    table.insert(promises, last)
  end
  last.many, last.of[stretch.name] = last.many + many, stretch.served
end
-- On hold and in front of a closed room no visitor can come, so their time stands still; so it does where the clock is set back.
-- Those of one second are one, so there are no more than a claim has seconds.
local function keep_promises()
  local second, is_still, list = math.floor(now / 1000), not mode.lets_in(), {}
  for _, kept in ipairs(promises) do
    kept.second = is_still and second or math.min(kept.second, second)
    local last = list[#list]
    if last and last.second == kept.second then
      last.many = last.many + kept.many
      for name, number in pairs(kept.of) do
        last.of[name] = math.max(last.of[name] or 0, number)
      end
    else
      table.insert(list, kept)
    end
  end
  promises = list
end
-- A slot that was not claimed in time returns. How many come late is a guess: half of them are forgotten each minute.
local function take_back_promises()
  local minutes = math.min(math.max(this_minute - state.late_at, 0), 60)
  keep_promises()
  state.late, state.late_at = math.floor(state.late / 2 ^ minutes), math.max(this_minute, state.late_at)
  while promises[1] and now > (promises[1].second + cap.seconds) * 1000 do
    local lapsed = table.remove(promises, 1)
    state.late = state.late + lapsed.many
    for name, number in pairs(lapsed.of) do
      local of = record.stretches[name]
      if of then
        of.lapsed = math.max(of.lapsed, number)
      end
    end
  end
end

-- The oldest promise is kept first, for the first visitor who comes; without one, a slot is free.
local function take_promise(place)
  for _, oldest in ipairs(promises) do
    if oldest.many > 0 then
      oldest.many = oldest.many - 1
      break
    end
  end
  if place.number <= place.of.lapsed then
    state.late = math.max(state.late - 1, 0)
  end
end

ring, promises = read_ring(stored.ring), read_promises(stored.promises)
-- A line that lost its data, where rooms with the same cap still know who is inside it: a copy of the board counts no more than that again.
if key.limits and not stored.ring then
  ring = read_ring(require('joint').own.ring)
  texts.ring_base = next(ring) and written_ring(ring) or nil
end
-- What holds from now on.
local function begin()
  -- Until now verbs ran without a cap.
  if state.minute > state.capped or state.cap_since == 0 then
    state.cap_since = this_minute
  end
  if state.first_end == 0 or this_minute + cap.minutes < state.first_end then
    state.first_end = this_minute + cap.minutes
  end
  take_back_promises()
end
-- Slots that other rooms with this cap have.
local function elsewhere()
  return key.limits and require('joint').taken(cap.seconds) or 0
end
-- Free slots, also where the cap only observes; where rooms have it together, those that this one may have.
local function free()
  local many = inside() + promised()
  return key.limits and require('joint').slots(cap.total, many, cap.seconds) or math.max(cap.total - many, 0)
end

-- How many called visitors may come in now.
local function claimable()
  if not cap.is_enforced() then
    return math.max(cap.total - inside() - elsewhere(), 1)
  elseif now < state.quiet or cap.is_recounting() then
    return 0
  end
  local many = promised() + free()
  -- A promise that this room has not taken back in time may have been given away by another one.
  return key.limits and math.min(many, math.max(cap.total - inside() - elsewhere(), 0)) or many
end

-- Whose session ends when: its last minute by the mark of its ticket, below 0 where it was ended until then. Two hashes take turns:
-- one is written, and the other is emptied once all that it has is over.
local noted, is_emptied = {}, false
local function note(mark, last)
  noted[mark] = last
end
local function end_of(mark)
  local last = noted[mark]
  for i = 0, is_emptied and -1 or 1 do
    last = last or tonumber(redis.pcall('HGET', key['inside' .. (state.book + i) % 2], mark))
  end
  return last
end
local function write_book()
  if next(noted) and this_minute > state.book_other then
    state.book = 1 - state.book
    redis.call('UNLINK', key['inside' .. state.book])
    state.book_other, state.book_last = state.book_last, 0
  end
  local pairs_of, book = {}, key['inside' .. state.book]
  for mark, last in pairs(noted) do
    table.insert(pairs_of, mark)
    table.insert(pairs_of, last)
    state.book_last = math.max(state.book_last, math.abs(last))
  end
  for first = 1, #pairs_of, 1000 do
    redis.pcall('HSET', book, unpack(pairs_of, first, math.min(first + 999, #pairs_of)))
  end
  if pairs_of[1] then
    redis.pcall('EXPIRE', book, (state.book_last - this_minute + 2) * 60)
  end
end

local function take_out(minute)
  local is_there = (ring[minute] or 0) > 0
  ring[minute] = is_there and ring[minute] - 1 or ring[minute]
  return is_there
end
-- A session leaves the minute with which it was to end. A copy of the board, after a loss, does not say whose sessions it brings back:
-- one that these data do not know is among those that were to end by then. Else it was not counted so far. `known`: its end here.
local function leave(known, from)
  local base = texts.ring_base
  if known then
    take_out(known)
  elseif base or base == nil and stored.ring_base then
    for minute = from, this_minute, -1 do
      if take_out(minute) then
        return
      end
    end
  end
end
-- The session of this ticket, which ends with the minute `known` as these data have it, ends with that one.
local function move(mark, known, last)
  if known then
    take_out(known)
  end
  if last >= this_minute then
    ring[last] = (ring[last] or 0) + 1
  end
  note(mark, last)
end
local function open(last, mark)
  move(mark, end_of(mark), last)
end
-- POPs have renewed sessions of visitors who went in by this roll: each with the mark of its ticket, and by how many
-- minutes its end moves, 0 where it had none. A ticket that several POPs know is told by each of them, and has one session.
local function renew(to, renewed, born)
  if rolls.has_ended_visits(born) then
    return
  end
  for mark, by in string.gmatch(renewed, '(%x%x%x%x%x%x%x%x%x%x%x%x)(%x%x)') do
    local known, from = end_of(mark), to - tonumber(by, 16)
    local is_unheard_of = not known and from < to and from < state.first_end and state.ring_told == 0 and (ring[from] or 0) == 0
    if is_unheard_of then
      -- A session that these data have not given: they began with visitors inside.
      state.recount = math.max(state.recount, math.floor((now - rolls.data_age()) / 60000) + cap.minutes + 1)
    elseif not known and from < to then
      leave(known, from)
    end
    local is_ended = known and known < 0 and this_minute <= -known
    if not is_ended and to > (known or 0) then
      move(mark, known, to)
    end
  end
end

-- No session ends later, also where a POP that has not heard of this makes it longer in the next seconds.
local function last_end()
  local last = this_minute + cap.minutes + 1
  for minute, many in pairs(ring) do
    last = many > 0 and math.max(last, minute) or last
  end
  return last
end

-- The store has lost data. `ring_base`: what the ring would be, had nothing happened since: what the store had kept, or what the
-- latest copy of the board says.
local function begin_ring()
  texts.ring_base = written_ring(ring)
end
-- A copy of the board knows who was inside before the loss; the latest one counts, and a cap that an operator set comes only after
-- this. It changes the ring by what it knows more, so sessions that began and moved since stay.
local function take(copied)
  state.ring_told, state.recount = copied.told_ms, 0
  state.cap_since = state.cap_since == 0 and copied.since or math.min(state.cap_since, copied.since)
  local base, known = read_ring(texts.ring_base or stored.ring_base or ''), {}
  for _, cell in ipairs(copied.cells or {}) do
    known[cell[1]] = cell[2]
  end
  for minute, many in pairs(known) do
    if minute >= this_minute then
      ring[minute] = (ring[minute] or 0) + many
    end
  end
  for minute, many in pairs(base) do
    ring[minute] = math.max((ring[minute] or 0) - many, 0)
  end
  texts.ring_base = written_ring(known)
end

-- Every number has ended, and with it what was promised.
local function forget_promises()
  promises, state.late = {}, 0
end
-- Every visit has ended.
local function end_all()
  ring, texts.ring_base, state.recount, state.ended_last = {}, false, 0, 0
  noted, is_emptied, state.book_last, state.book_other = {}, true, 0, 0
end

-- What the board shows.
local function shown()
  local cells = cells_of(ring)
  return {
    total_active = cap.total, minutes = cap.minutes, enforcement = call.arg.cap, renewal = cap.renewal, told_ms = now, since = state.cap_since,
    promised = promised(), claimable = claimable(), late = state.late, cells = cells[1] and cells or nil,
    ended = this_minute <= state.ended_last and state.ended or 0, elsewhere = key.limits and elsewhere() or nil,
  }
end
-- The same for the other rooms with this cap: the sessions, and how many slots are promised.
local function told()
  return written_ring(ring), promised()
end

-- Who is inside, as it is kept.
local function keep()
  if is_emptied then
    redis.call('UNLINK', key.inside0, key.inside1)
  end
  write_book()
  texts.ring = written_ring(ring)
end
local function write()
  if cap.is_capped then
    state.capped = math.max(state.capped, this_minute)
  end
  keep()
  texts.promises = written_promises()
  for _, name in ipairs({ 'ring', 'promises' }) do
    if texts[name] == (stored[name] or '') then
      texts[name] = nil
    end
  end
end

return {
  begin = begin, free = free, claimable = claimable, promise = promise, take_promise = take_promise, open = open, end_of = end_of,
  note = note, leave = leave, last_end = last_end, renew = renew, begin_ring = begin_ring, take = take,
  forget_promises = forget_promises, end_all = end_all, shown = shown, told = told, keep = keep, write = write,
}
