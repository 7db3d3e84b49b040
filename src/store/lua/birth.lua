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
local splices = read_splices(stored.splices)
local function splice_of(list, born)
  for _, splice in ipairs(list) do
    if splice.born == born then
      return splice
    end
  end
end
local function written_splices()
  local written = {}
  for _, splice in ipairs(splices) do
    table.insert(written, string.format('%d:%d', splice.born, splice.offset))
  end
  return table.concat(written, ' ')
end

-- Texts to be written with the state; false removes the field.

local settled = state.settled
-- `started` is a name: where the clock is behind it, `began` is the time.
local function data_age()
  return now - (state.began > 0 and state.began or state.started)
end
local function begin_data(started)
  state.started, state.began = started, started > now and now or 0
end
-- A clock that jumps back makes no data young again.
if state.started > 0 and data_age() >= YOUNG then
  state.sealed = 1
  state.settled = math.max(state.settled, state.started)
end
state.quiet = math.min(state.quiet, now + SETTLE)
local function is_young()
  return state.sealed == 0 and state.started > 0 and data_age() < YOUNG
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
-- `lane` is what the names of its fields begin with: '' or 'front_'.
local function recent(lane)
  local ago, current = math.floor(now / SPAN) - state[lane .. 'window'], state[lane .. 'length'] - state[lane .. 'window_from']
  if ago == 0 then
    return current + state[lane .. 'window_last']
  end
  return ago == 1 and current or 0
end
local function count_draw(lane)
  local window = math.floor(now / SPAN)
  local ago, length = window - state[lane .. 'window'], state[lane .. 'length']
  if ago ~= 0 then
    state[lane .. 'window_last'] = ago == 1 and length - state[lane .. 'window_from'] or 0
    state[lane .. 'window'], state[lane .. 'window_from'] = window, length
  end
end

-- Numbers left free behind those that a copy knows: it may be older than the last of them.
local function behind(length, lately)
  return length + math.max(LEAST_GAP, lately)
end
