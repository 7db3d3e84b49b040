-- One line, one birth. `born` is the store's time in ms at the first write of a line, `started` the time at which the present
-- data began. A POP brings the last sign it knows; a line that has just begun adopts it, so that data the store lost come
-- back. Tickets of another birth move nothing by themselves.
-- `adopted` counts adoptions; `sealed` = 1: adopts nothing, since it was begun on purpose or is no longer young; until `quiet`
-- nothing is released; `lent` is the credit that came back with a line. What was born until `settled` stays where it is, and
-- nothing born until then comes back.
-- A line consists of pieces: the numbers that the data of one birth gave. `splices`: those of birth `born` begin behind
-- `offset`. While data are young, a copy may come that knows more of the pieces before, or pieces that no copy knew: then the
-- pieces behind move. Until then tickets keep the birth and the number that the data gave them, so no number of the line is
-- held by two visitors.
local YOUNG, SETTLE, LEAST_GAP, WITNESSES, SPLICES = 120000, 10000, 20, 3, 8

local function read_splices(text)
  local list = {}
  for born, offset in string.gmatch(text or '', '(%d+):(%d+)') do
    table.insert(list, { born = tonumber(born), offset = tonumber(offset) })
  end
  return list
end
local splices = read_splices(set[6])
local function splice_of(list, born)
  for _, splice in ipairs(list) do
    if splice.born == born then
      return splice
    end
  end
end
local function written_splices()
  local parts = {}
  for _, splice in ipairs(splices) do
    table.insert(parts, string.format('%d:%d', splice.born, splice.offset))
  end
  return table.concat(parts, ' ')
end

-- Texts to be written with the state; false removes the field.
local texts = {}

local settled = state.settled
-- A clock that jumps back makes no data young again.
if state.started > 0 and now - state.started >= YOUNG then
  state.sealed = 1
  state.settled = math.max(state.settled, state.started)
end
local function is_young()
  return state.sealed == 0 and state.started > 0 and now - state.started < YOUNG
end

-- The splice of the present data, as long as it may move.
local function own_splice()
  return is_young() and splice_of(splices, state.started) or nil
end
-- What a ticket calls this number: its birth, and the number there.
local function named(number)
  local own = own_splice()
  if own and number > own.offset then
    return own.born, number - own.offset
  end
  return state.born, number
end

-- How many numbers were drawn in four seconds, at most: a sign may be that old when the data are lost.
local SPAN = 4000
local function recent()
  local window = math.floor(now / SPAN)
  local current = state.length - state.window_from
  if window == state.window then
    return current + state.window_last
  end
  return window == state.window + 1 and current or 0
end
local function count_draw()
  local window = math.floor(now / SPAN)
  if window ~= state.window then
    state.window_last = window == state.window + 1 and state.length - state.window_from or 0
    state.window, state.window_from = window, state.length
  end
end

-- Numbers left free behind those that a copy knows: it may be older than the last of them.
local function behind(length, lately)
  return length + math.max(LEAST_GAP, lately)
end

-- What an operator had set comes back too, unless an operator has set it later.
local function take_live(sign)
  local newer, took, kept = {}, false, false
  for _, name in ipairs(SETTINGS) do
    newer[name] = sign.set_at[name] > live.set_at[name]
    took, kept = took or newer[name], kept or sign.set_at[name] < live.set_at[name]
  end
  if newer.mode then
    live.mode, texts.mode = sign.mode, sign.mode
  end
  if newer.pace then
    live.paced = sign.paced
    live.automatic = tonumber(live.paced == 1 and sign.automatic or arg.automatic)
    live.quantity = tonumber(live.paced == 1 and sign.quantity or arg.quantity)
    texts.live_automatic = live.paced == 1 and live.automatic
    texts.live_quantity = live.paced == 1 and live.quantity
  end
  if newer.message then
    live.message = sign.message or false
    texts.message = live.message
  end
  for name, is_newer in pairs(newer) do
    if is_newer then
      live.set_at[name] = sign.set_at[name]
      texts[name .. '_at'], texts[name .. '_by'] = sign.set_at[name], false
    end
  end
  -- What is now set is another state than either copy showed, unless one of them knew all of it.
  local version = math.max(live.version, sign.version + (kept and 1 or 0), took and live.version + 1 or 0)
  if version > live.version then
    live.version, texts.version = version, version
    keep_long()
  end
end

-- Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it.
local function lend(credit)
  if state.set_credit == 1 then
    return
  end
  state.credit = state.credit - math.min(state.lent, state.credit) + credit
  state.lent = credit
end

-- The pieces of a line whose last one ends at `last`: `ground` has settled, and `among` are the births whose numbers are in it.
local function pieces_of(born, settles, list, last)
  local open = { born = born, offset = 0 }
  local line = { settled = settles, among = {}, moving = {} }
  if born <= settles then
    line.ground = open
  else
    line.moving[1] = open
  end
  for _, splice in ipairs(list) do
    if splice.born <= settles then
      table.insert(line.among, splice)
    else
      open.many = math.max(splice.offset - open.offset, 0)
      open = { born = splice.born, offset = splice.offset }
      table.insert(line.moving, open)
    end
  end
  open.many = math.max(last - open.offset, 0)
  return line
end
local function behind_these()
  return behind(state.length, recent())
end
local function pieces_here()
  return pieces_of(state.born, state.settled, splices, behind_these())
end
-- The pieces before the present data, and their own.
local function pieces_before(last_number)
  local line = pieces_of(state.born, state.settled, splices, last_number)
  local last = line.moving[#line.moving]
  if last and last.born == state.started then
    return line, table.remove(line.moving)
  end
  return line, { born = state.started, many = 0 }
end

-- A piece has at least as many numbers as this copy knows; one that was not known comes last.
local function grow(line, piece)
  local known = line.ground and line.ground.born == piece.born and line.ground or splice_of(line.moving, piece.born)
  if known then
    known.many = math.max(known.many, piece.many)
  elseif piece.born > line.settled then
    table.insert(line.moving, piece)
  elseif piece.born == 0 then
    line.ground = piece
  end
end

-- What either copy knows. What settled last counts: what was born before, and is not among it, has ended.
local function joined(line, other)
  if other.settled > line.settled or other.settled == line.settled and other.ground and not line.ground then
    line, other = other, line
  end
  local ended = 0
  for _, piece in ipairs(other.moving) do
    local at = 1
    while line.moving[at] and line.moving[at].born < piece.born do
      at = at + 1
    end
    if piece.born <= line.settled then
      ended = ended + piece.many
    elseif line.moving[at] and not splice_of(line.moving, piece.born) then
      table.insert(line.moving, at, piece)
    else
      grow(line, piece)
    end
  end
  if line.ground and other.ground and line.ground.born == other.ground.born then
    line.ground.many = math.max(line.ground.many, other.ground.many + ended)
  end
  return line
end

-- Puts piece behind piece, those of the present data last.
local function lay(line, own)
  local began, told, base = state.length - own.many, written_splices(), state.born
  local offset, length = 0, 0
  splices, state.born, state.settled = line.among, nil, line.settled
  table.insert(line.moving, own)
  if line.ground then
    table.insert(line.moving, 1, line.ground)
  end
  for _, piece in ipairs(line.moving) do
    if state.born then
      offset = length
      table.insert(splices, { born = piece.born, offset = offset })
    else
      state.born = piece.born
    end
    length = length + piece.many
  end
  while #splices > SPLICES do
    table.remove(splices, 1)
  end
  local is_other = state.adopted == 0 or state.born ~= base
  if is_other or written_splices() ~= told then
    if is_other then
      state.quiet, state.left = state.started + SETTLE, 0
      state.anchor = state.quiet
    end
    state.adopted, texts.splices = state.adopted + 1, written_splices()
    forget_rate()
  end
  state.window_from = offset + math.min(math.max(state.window_from - began, 0), own.many)
  state.length, state.cursor = length, math.min(state.cursor, length)
end

-- The store has lost data, so no copy may show the last numbers that were given: what is drawn from now on moves when a
-- better copy comes.
local function begin_new_data(line, after)
  state.started = math.max(now, state.started + 1, after + 1)
  state.adopted, state.sealed, state.lent, state.set_credit = 0, 0, state.credit, 0
  lay(line, { born = state.started, many = 0 })
end

local function take_cursor(cursor)
  if cursor > state.cursor then
    -- Remembered, not admitted now: the measurement begins anew.
    state.cursor = math.min(cursor, state.length)
    forget_rate()
  end
end

local function sign_brought()
  if not arg.sign_born then
    return
  end
  local sign = { mode = arg.sign_mode, message = arg.sign_message, splices = arg.sign_splices }
  sign.set_at = set_times(tonumber(arg.sign_version), arg.sign_mode_at, arg.sign_pace_at, arg.sign_message_at)
  for _, name in ipairs({ 'born', 'started', 'adopted', 'settled', 'epoch', 'cursor', 'length', 'credit', 'recent',
    'version', 'paced', 'automatic', 'quantity' }) do
    sign[name] = tonumber(arg['sign_' .. name])
  end
  return sign
end

-- A line without a birth in the store is of the version before: it was born at 0.
if is_new then
  state.born, state.started, state.anchor = now, now, now
end
-- A sign that is further on than its own data means that the store has lost some.
local function is_behind(sign)
  return sign.length > state.length or sign.cursor > state.cursor or sign.epoch > state.epoch or sign.version > live.version
end
-- What a copy says of the line besides its numbers; `base` was the line before it came.
local function take_values(sign, base, has_moved)
  if has_moved then
    lend(sign.credit)
  end
  if state.born == base then
    state.epoch = math.max(state.epoch, sign.epoch)
    take_cursor(sign.cursor)
  else
    state.epoch, state.cursor = sign.epoch, math.min(sign.cursor, sign.length)
  end
end
-- Whether the line has changed by what the copy knows of it.
local function take_line(sign)
  local base, started, adopted = state.born, state.started, state.adopted
  local is_later = sign.started > started or sign.started == started and sign.adopted > adopted
  local is_same = sign.started == started and sign.adopted == adopted
  -- The numbers of an epoch that has ended are of no use.
  local is_late = not is_young() and sign.born == base and sign.started < started and sign.epoch >= state.epoch
  local line = pieces_of(sign.born, sign.settled, read_splices(sign.splices), behind(sign.length, sign.recent))
  if is_later or (is_same or is_late) and is_behind(sign) then
    local cleared = is_late and state.set_credit or 0
    if is_late then
      line = joined(line, pieces_here())
    elseif is_young() and adopted == 0 then
      -- After a clock was set back, new data seem older than those that the sign knows.
      local _, own = pieces_before(behind_these())
      grow(line, own)
    else
      state.settled = settled
      line = joined(pieces_here(), line)
    end
    begin_new_data(line, sign.started)
    state.set_credit = cleared
  elseif is_young() and sign.started < started then
    local before_these, own = pieces_before(state.length)
    lay(joined(before_these, line), own)
  else
    return
  end
  if sign.born == state.born then
    take_values(sign, base, state.started ~= started or state.adopted ~= adopted)
  end
end
local function take_sign(sign)
  take_line(sign)
  if sign.born == state.born then
    take_live(sign)
  end
end
local sign = sign_brought()
if sign then
  take_sign(sign)
end
judge_rate()
remember_before()

-- Begun anew on purpose: every ticket so far ends, and nothing is adopted any more. Epochs are comparable across losses,
-- since a raised one is never below the time in seconds.
local function begin_anew()
  state.epoch = math.max(state.epoch + 1, math.floor(now / 1000))
  -- Later than before, even when the clock is not: signs from before it take nothing back.
  state.started, state.sealed, state.quiet = math.max(now, state.started + 1), 1, 0
  state.settled, splices, texts.splices = state.started, {}, false
end

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
    local line = pieces_here()
    grow(line, piece)
    begin_new_data(line, 0)
  elseif ticket.position + offset > last and is_young() then
    local line, own = pieces_before(state.length)
    grow(line, piece)
    lay(line, own)
  end
  if is_base then
    state.epoch = math.max(state.epoch, ticket.epoch)
    take_cursor(math.min(ticket.seen, ticket.position))
  end
end

-- When no sign has come, three tickets of one birth restore their line. Of several births the youngest counts.
local function witness(ticket)
  local age = now - state.started
  local is_time = is_young() and age >= SETTLE and state.adopted == 0
  if not is_time or ticket.born >= state.started or splice_of(splices, ticket.born) then
    return
  end
  local born, epoch, position, seen, ids = string.match(set[7] or '', '^(%d+) (%d+) (%d+) (%d+) (.*)$')
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
    local line, own = pieces_before(state.length)
    grow(line, { born = born, many = position + LEAST_GAP })
    lay(line, own)
    state.epoch, state.cursor, texts.proofs = epoch, seen, false
  else
    texts.proofs = string.format('%d %d %d %d %s', born, epoch, position, seen, ids)
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
