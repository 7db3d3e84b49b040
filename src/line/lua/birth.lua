-- One line, one birth. `born` is the store's time in ms at the first write of a line, `started` the time at which the present
-- data began. A POP brings the last sign it knows; a line that has just begun adopts it, so that data the store lost come
-- back. Tickets of another birth move nothing by themselves.
-- `adopted` counts adoptions; `sealed` = 1: adopts nothing, since it was begun on purpose or is no longer young; until `quiet`
-- nothing is released; `lent` is the credit that came back with a line; `fragment` = 1: the adopted line was
-- itself young when it was lost, so an older line may still come and go before it; no line born before `settled` comes back.
-- `splices`: numbers of the data of birth `born` have moved by `offset`, behind the numbers of the adopted line. While the data
-- are young, a better copy of that line may still come, and these numbers move once more: until then their tickets keep the
-- birth and the number that the data gave them, so no number of the line is held by two visitors.
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
local function own_offset()
  local own = own_splice()
  return own and own.offset or 0
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

-- Numbers left free behind those that a sign knows: it may be older than the last of them.
local function behind(sign)
  return sign.length + math.max(LEAST_GAP, sign.recent)
end

-- What an operator had set comes back too, but for what an operator has set since: that is newer, and stays.
local function take_live(sign, since)
  local is_set, stays = sign.version > 0, since.mode or since.pace or since.message
  if not since.mode then
    live.mode = is_set and sign.mode or 'automatic'
    texts.mode = is_set and live.mode
  end
  if not since.message then
    live.message = sign.message or false
    texts.message = live.message
  end
  if not since.pace then
    live.paced = is_set and sign.paced or 0
    live.automatic = tonumber(live.paced == 1 and sign.automatic or arg.automatic)
    live.quantity = tonumber(live.paced == 1 and sign.quantity or arg.quantity)
    texts.live_automatic = live.paced == 1 and live.automatic
    texts.live_quantity = live.paced == 1 and live.quantity
  end
  live.version = stays and math.max(live.version, sign.version + 1) or sign.version
  texts.version = live.version > 0 and live.version
  if live.version > 0 then
    keep_long()
  end
end
local function since_the_data_began()
  return { mode = state.set_mode == 1, pace = state.set_pace == 1, message = state.set_message == 1 }
end
local function take_live_from_before(sign)
  take_live(sign, since_the_data_began())
end

-- Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it.
local function lend(credit)
  if state.set_credit == 1 then
    return
  end
  state.credit = state.credit - math.min(state.lent, state.credit) + credit
  state.lent = credit
end

-- A line that was lost before older signs could reach it.
local function is_fragment(sign)
  return sign.young == 1 and (sign.adopted == 0 or sign.fragment == 1)
end
local function add_splice(list, born, offset)
  local known = splice_of(list, born)
  if known then
    known.offset = math.max(known.offset, offset)
  else
    table.insert(list, { born = born, offset = offset })
  end
end

-- What was born before this line settled, and is not known to the sign, has ended.
local function without_ended(list, sign)
  local kept = {}
  for _, splice in ipairs(list) do
    if splice.born >= sign.settled or splice_of(read_splices(sign.splices), splice.born) then
      table.insert(kept, splice)
    end
  end
  return kept
end

-- The numbers that the present data gave follow behind `base`; `others` are the splices of the sign.
local function splice_behind(base, others)
  local own = own_offset()
  splices = {}
  for _, splice in ipairs(others) do
    if splice.born ~= state.started then
      table.insert(splices, splice)
    end
  end
  table.insert(splices, { born = state.started, offset = base })
  while #splices > SPLICES do
    table.remove(splices, 1)
  end
  state.length = state.length - own + base
  state.window_from = math.max(state.window_from - own, 0) + base
  texts.splices = written_splices()
end

-- The numbers drawn meanwhile follow behind those of the adopted line, with a gap for numbers its last sign did not know.
local function adopt(sign)
  local base, others = behind(sign), read_splices(sign.splices)
  if state.fragment == 1 and sign.born < state.born then
    -- The fragment follows behind the older line, and so does what followed behind the fragment.
    local known = splice_of(others, state.born)
    local offset = known and known.offset or base
    add_splice(others, state.born, offset)
    for _, splice in ipairs(splices) do
      add_splice(others, splice.born, splice.offset + offset)
    end
    others = without_ended(others, sign)
    base = math.max(base, own_offset() + offset)
  end
  splice_behind(base, others)
  state.fragment, state.settled = is_fragment(sign) and 1 or 0, sign.settled
  state.cursor, state.epoch = math.min(sign.cursor, sign.length), sign.epoch
  lend(sign.credit)
  state.born, state.adopted, state.left = sign.born, state.adopted + 1, 0
  state.quiet = state.started + SETTLE
  state.anchor = state.quiet
  forget_rate()
end

-- The data are older than the sign, which saw data that began later or that had adopted more: a backup was restored, or the
-- store's clock jumped back when it lost its data. All of the sign's line comes back; numbers that young data gave follow.
local function go_back_to(sign)
  local base, others = behind(sign), read_splices(sign.splices)
  if is_young() and state.started >= sign.settled and not splice_of(others, state.started) then
    splice_behind(base, others)
  else
    splices, texts.splices = others, sign.splices
    state.length = base
    state.window_from = base
  end
  state.cursor, state.epoch, state.credit = math.min(sign.cursor, sign.length), sign.epoch, sign.credit
  state.born, state.started, state.adopted, state.sealed = sign.born, sign.started, sign.adopted, sign.sealed
  state.left, state.anchor, state.fragment, state.settled = 0, now, sign.fragment, sign.settled
  forget_rate()
end

local function take_cursor(cursor)
  if cursor > state.cursor then
    -- Remembered, not admitted now: the measurement begins anew.
    state.cursor = math.min(cursor, state.length)
    forget_rate()
  end
end

-- A better copy of the line that these young data have adopted: what they gave moves behind it.
local function take_better_copy(sign)
  local others = read_splices(sign.splices)
  for _, splice in ipairs(splices) do
    add_splice(others, splice.born, splice.offset)
  end
  others = without_ended(others, sign)
  state.fragment = is_fragment(sign) and state.fragment or 0
  state.settled = math.max(state.settled, sign.settled)
  local base = own_offset()
  if behind(sign) > base then
    base = behind(sign)
    state.adopted = state.adopted + 1
    lend(sign.credit)
    forget_rate()
  end
  splice_behind(base, others)
  state.epoch = math.max(state.epoch, sign.epoch)
  take_cursor(math.min(sign.cursor, sign.length))
  local since = since_the_data_began()
  if since.mode or since.pace or since.message or sign.version > live.version then
    take_live(sign, since)
  end
end

-- A younger line that was lost before this one's sign could reach it: its numbers follow behind this line, and the numbers
-- of the present data behind those.
local function take_fragment(sign)
  local known = splice_of(splices, sign.born)
  local offset = known and known.offset or own_offset()
  local base = math.max(own_offset(), offset + behind(sign))
  local others = {}
  for _, splice in ipairs(splices) do
    add_splice(others, splice.born, splice.offset)
  end
  add_splice(others, sign.born, offset)
  for _, splice in ipairs(read_splices(sign.splices)) do
    add_splice(others, splice.born, splice.offset + offset)
  end
  if base > own_offset() then
    state.adopted = state.adopted + 1
    forget_rate()
  end
  splice_behind(base, others)
end

-- The same line: nothing it has shown is taken back. A sign that is further on means that a backup was restored.
local function take_maxima(sign)
  local is_further = sign.length > state.length or sign.cursor > state.cursor or sign.epoch > state.epoch
  if sign.length > state.length then
    state.length = behind(sign)
    state.window_from = state.length
  end
  state.epoch = math.max(state.epoch, sign.epoch)
  take_cursor(sign.cursor)
  if is_further and sign.started >= state.started then
    state.credit, state.left, state.anchor = sign.credit, 0, now
  end
  if sign.started > state.started or sign.started == state.started and sign.adopted > state.adopted then
    state.started, state.adopted, state.sealed = sign.started, sign.adopted, sign.sealed
    splices, texts.splices = read_splices(sign.splices), sign.splices
    state.fragment, state.settled = sign.fragment, sign.settled
  end
  if sign.version > live.version then
    take_live(sign, sign.started < state.started and since_the_data_began() or {})
  end
end

local function sign_brought()
  if not arg.sign_born then
    return
  end
  local sign = { mode = arg.sign_mode, message = arg.sign_message, splices = arg.sign_splices }
  for _, name in ipairs({ 'born', 'started', 'adopted', 'sealed', 'young', 'fragment',
    'settled', 'epoch', 'cursor', 'length', 'credit', 'recent',
    'version', 'paced', 'automatic', 'quantity' }) do
    sign[name] = tonumber(arg['sign_' .. name])
  end
  return sign
end

-- A line without a birth in the store is of the version before: it was born at 0.
if is_new then
  state.born, state.started, state.anchor = now, now, now
end
local function take_sign(sign)
  local is_later = sign.started > state.started or sign.started == state.started and sign.adopted > state.adopted
  if sign.born == state.born and own_splice() and sign.started < state.started then
    take_better_copy(sign)
  elseif sign.born == state.born and not (is_later and own_splice()) then
    take_maxima(sign)
  elseif is_later then
    take_live(sign, {})
    go_back_to(sign)
  elseif not is_young() or sign.born >= state.started then
    return
  elseif own_splice() and sign.born > state.born and is_fragment(sign) then
    if sign.born >= state.settled then
      take_fragment(sign)
    end
  elseif state.adopted == 0 or sign.born > state.born or state.fragment == 1 then
    take_live_from_before(sign)
    adopt(sign)
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

-- A ticket of this line proves what the line had reached. A line of the version before has no birth, so any ticket of that
-- version may be of another line: it proves nothing.
local function take_ticket(ticket)
  local splice = splice_of(splices, ticket.born)
  if ticket.born == state.born and state.started > 0 then
    state.epoch = math.max(state.epoch, ticket.epoch)
    local own = own_splice()
    if own and ticket.position > own.offset then
      splice_behind(ticket.position + LEAST_GAP, splices)
      state.adopted = state.adopted + 1
      forget_rate()
    elseif ticket.position > state.length then
      state.length = ticket.position + LEAST_GAP
      state.window_from = state.length
    end
    take_cursor(math.min(ticket.seen, ticket.position))
  elseif splice and ticket.position + splice.offset > state.length then
    state.length = ticket.position + splice.offset + LEAST_GAP
    state.window_from = state.length
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
    adopt({ born = born, epoch = epoch, cursor = seen, length = position, credit = 0, recent = 0, settled = 0 })
    texts.proofs = false
  else
    texts.proofs = string.format('%d %d %d %d %s', born, epoch, position, seen, ids)
  end
end

-- The number of a ticket in this line: nothing when its line or its epoch has ended, false until that is known.
local function number_of(ticket)
  local splice = splice_of(splices, ticket.born)
  if ticket.born == state.born then
    local own = own_splice()
    local is_known = ticket.position <= (own and own.offset or state.length)
    return ticket.epoch == state.epoch and is_known and ticket.position or nil
  elseif splice and ticket.position + splice.offset <= state.length then
    return ticket.position + splice.offset
  elseif is_young() then
    return false
  end
end
