-- The pieces that a line consists of, one for each birth of its data.
-- Gives `of`, `here`, `before`, `behind_these`, `grow`, `joined`, `lay`.

local call, record, birth, lanes = require('call'), require('record'), require('birth'), require('lanes')
local gaps, rate = require('gaps'), require('rate')
local state, texts, main = record.state, record.texts, lanes.main
-- So many splices are kept.
local SPLICES = 8

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
  return gaps.behind(main.length, lanes.recent(main))
end
local function pieces_here()
  return pieces_of(state.born, state.settled, birth.splices, behind_these())
end
-- The pieces before the present data, and their own.
local function pieces_before(last_number)
  local line = pieces_of(state.born, state.settled, birth.splices, last_number)
  local last = line.moving[#line.moving]
  if last and last.born == state.started then
    return line, table.remove(line.moving)
  end
  return line, { born = state.started, many = 0 }
end

-- A piece has at least as many numbers as this copy knows; one that was not known comes last.
local function grow(line, piece)
  local known = line.ground and line.ground.born == piece.born and line.ground or birth.splice_of(line.moving, piece.born)
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
    local is_ground = line.ground and line.ground.born == piece.born
    if piece.born <= line.settled and not is_ground then
      ended = ended + piece.many
    elseif line.moving[at] and not is_ground and not birth.splice_of(line.moving, piece.born) then
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
  local began, told, base = main.length - own.many, birth.written_splices(), state.born
  local offset, length, first = 0, 0, nil
  birth.splices, state.settled = line.among, line.settled
  table.insert(line.moving, own)
  if line.ground then
    table.insert(line.moving, 1, line.ground)
  end
  for _, piece in ipairs(line.moving) do
    if first then
      offset = length
      table.insert(birth.splices, { born = piece.born, offset = offset })
    end
    first = first or piece.born
    length = length + piece.many
  end
  state.born = first
  while #birth.splices > SPLICES do
    table.remove(birth.splices, 1)
  end
  if state.born ~= base then
    gaps.forget_lanes()
  end
  local is_other = state.adopted == 0 or state.born ~= base
  if is_other or birth.written_splices() ~= told then
    if is_other then
      state.quiet, state.left = call.now - birth.data_age() + birth.SETTLE, 0
    end
    state.adopted, texts.splices = state.adopted + 1, birth.written_splices()
    -- Where pieces move, the numbers that were left free among them do too.
    main.gap, main.gap_end = 0, 0
    if call.arg.turn_minutes then
      require('turns').forget()
    end
    rate.forget()
  end
  main.window_from = offset + math.min(math.max(main.window_from - began, 0), own.many)
  main.length, main.cursor = length, math.min(main.cursor, length)
end

return { of = pieces_of, here = pieces_here, before = pieces_before, behind_these = behind_these, grow = grow, joined = joined, lay = lay }
