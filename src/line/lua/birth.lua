-- One line, one birth. `born` is the store's time in ms at the first write of a line, `started` the time at which the present
-- data began. A POP brings the last sign it knows; a line that has just begun adopts it, so that data the store lost come
-- back. Tickets of another birth move nothing by themselves.
-- `adopted` counts adoptions; `sealed` = 1: begun on purpose, adopts nothing; until `quiet` nothing is released.
-- `splices`: numbers of birth `born` above `above` have moved by `offset`, behind the numbers of the adopted line.
local YOUNG, SETTLE, LEAST_GAP, WITNESSES, SPLICES = 120000, 10000, 20, 3, 4

local splices = {}
local function read_splices(text)
  splices = {}
  for born, above, offset in string.gmatch(text or '', '(%d+):(%d+):(-?%d+)') do
    table.insert(splices, { born = tonumber(born), above = tonumber(above), offset = tonumber(offset) })
  end
end
local function written_splices()
  local parts = {}
  for _, splice in ipairs(splices) do
    table.insert(parts, string.format('%d:%d:%d', splice.born, splice.above, splice.offset))
  end
  return table.concat(parts, ' ')
end
read_splices(set[6])

-- Texts to be written with the state; false removes the field.
local texts = {}

local function is_young()
  return state.sealed == 0 and state.started > 0 and now - state.started < YOUNG
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

-- What an operator had set comes back too.
local function take_live(sign)
  if sign.version > 0 then
    local is_set = sign.automatic ~= live.automatic or sign.quantity ~= live.quantity
    live.mode, live.message = sign.mode, sign.message or false
    live.automatic, live.quantity, live.version = sign.automatic, sign.quantity, sign.version
    texts.mode, texts.message, texts.version = live.mode, live.message, live.version
    texts.live_automatic, texts.live_quantity = is_set and live.automatic, is_set and live.quantity
    keep_long()
  end
end

-- The numbers drawn meanwhile follow behind those of the adopted line, with a gap for numbers its last sign did not know.
local function adopt(sign)
  local base = sign.length + math.max(LEAST_GAP, sign.recent)
  local own = splices[1] and splices[1].offset or 0
  local shift = base - own
  for _, splice in ipairs(splices) do
    splice.offset = splice.offset + shift
  end
  if #splices < SPLICES then
    table.insert(splices, { born = state.born, above = own, offset = shift })
  end
  state.length, state.window_from = state.length + shift, state.window_from + shift
  state.cursor, state.epoch, state.credit = math.min(sign.cursor, sign.length), sign.epoch, sign.credit
  state.born, state.adopted, state.left = sign.born, state.adopted + 1, 0
  state.quiet = state.started + SETTLE
  state.anchor = state.quiet
  texts.splices = written_splices()
  forget_rate()
end

-- The data are older than the sign, which saw data that began later: an old backup was restored. All of it comes back.
local function go_back_to(sign)
  state.length = sign.length + math.max(LEAST_GAP, sign.recent)
  state.window_from = state.length
  state.cursor, state.epoch, state.credit = math.min(sign.cursor, sign.length), sign.epoch, sign.credit
  state.born, state.started, state.adopted, state.sealed = sign.born, sign.started, sign.adopted, sign.sealed
  state.left, state.anchor = 0, now
  read_splices(sign.splices)
  texts.splices = written_splices()
  forget_rate()
end

-- The same line: nothing it has shown is taken back. A sign that is further on means that a backup was restored.
local function take_maxima(sign)
  if sign.length > state.length then
    state.length = sign.length + math.max(LEAST_GAP, sign.recent)
    state.window_from = state.length
  end
  state.epoch = math.max(state.epoch, sign.epoch)
  if sign.cursor > state.cursor then
    state.cursor = math.min(sign.cursor, state.length)
    forget_rate()
  end
  if sign.started > state.started or sign.started == state.started and sign.adopted > state.adopted then
    state.started, state.adopted, state.sealed = sign.started, sign.adopted, sign.sealed
    read_splices(sign.splices)
    texts.splices = written_splices()
  end
  if sign.version > live.version then
    take_live(sign)
  end
end

local function sign_brought()
  if not arg.sign_born then
    return
  end
  local sign = { mode = arg.sign_mode, message = arg.sign_message, splices = arg.sign_splices }
  for _, name in ipairs({ 'born', 'started', 'adopted', 'sealed', 'epoch', 'cursor', 'length', 'credit', 'recent',
    'version', 'automatic', 'quantity' }) do
    sign[name] = tonumber(arg['sign_' .. name])
  end
  return sign
end

-- A line without a birth in the store is of the version before: it was born at 0.
if is_new then
  state.born, state.started, state.anchor = now, now, now
end
local sign = sign_brought()
if sign and sign.born == state.born then
  take_maxima(sign)
elseif sign and sign.started > state.started then
  take_live(sign)
  go_back_to(sign)
elseif sign and is_young() and sign.born < state.started and (state.adopted == 0 or sign.born > state.born) then
  -- What an operator has set since the loss is newer, and stays.
  if live.version == 0 then
    take_live(sign)
  end
  adopt(sign)
end
judge_rate()
remember_before()

-- Begun anew on purpose: every ticket so far ends, and nothing is adopted any more. Epochs are comparable across losses,
-- since a raised one is never below the time in seconds.
local function begin_anew()
  state.epoch = math.max(state.epoch + 1, math.floor(now / 1000))
  state.started, state.sealed, state.quiet = now, 1, 0
  splices, texts.splices = {}, false
end

-- A ticket of this line proves what the line had reached.
local function take_ticket(ticket)
  state.epoch = math.max(state.epoch, ticket.epoch)
  if ticket.position > state.length then
    state.length = ticket.position + LEAST_GAP
    state.window_from = state.length
  end
  local seen = math.min(ticket.seen, ticket.position)
  if seen > state.cursor then
    -- Remembered, not admitted now: the measurement begins anew.
    state.cursor = seen
    forget_rate()
  end
end

-- When no sign has come, three tickets of one birth restore their line. Of several births the youngest counts.
local function witness(ticket)
  local age = now - state.started
  if state.sealed == 1 or state.adopted > 0 or ticket.born >= state.started or age < SETTLE or age >= YOUNG then
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
    adopt({ born = born, epoch = epoch, cursor = seen, length = position, credit = 0, recent = 0 })
    texts.proofs = false
  else
    texts.proofs = string.format('%d %d %d %d %s', born, epoch, position, seen, ids)
  end
end

-- The number of a ticket in this line: nothing when its line or its epoch has ended, false until that is known.
local function number_of(ticket)
  if ticket.born == state.born then
    return ticket.epoch >= state.epoch and ticket.position or nil
  end
  for _, splice in ipairs(splices) do
    if ticket.born == splice.born and ticket.position > splice.above then
      return ticket.position + splice.offset
    end
  end
  if is_young() then
    return false
  end
end
