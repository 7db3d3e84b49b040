-- The birth of the line and of its present data.
-- One line, one birth. `born` is the store's time in ms at the first write of a line, `started` the time at which the present
-- data began. A POP brings the last board it knows; a line that has just begun adopts it, so that data the store lost come
-- back. Tickets of another birth move nothing by themselves.
-- `adopted` counts adoptions; `sealed` = 1: adopts nothing, since it was begun on purpose or is no longer young; until `quiet`
-- nothing is released; `lent` is the credit that came back with a line. What was born until `settled` stays where it is, and
-- nothing born until then comes back.
-- A line consists of pieces: the numbers that the data of one birth gave. `splices`: those of birth `born` begin behind
-- `offset`. While data are young, a copy may come that knows more of the pieces before, or pieces that no copy knew: then the
-- pieces behind move. Until then tickets keep the birth and the number that the data gave them, so no number of the line is
-- held by two visitors.
-- Gives `splices`, which pieces.lua and lot.lua replace, with `read_splices`, `splice_of` and `written_splices`; `SETTLE`, for how many
-- milliseconds a line that came back releases nothing; `settled`, as it was when the call began; `data_age`, `begin_data`, `is_young`,
-- `own_splice`, `named`, `was_ended`.

local call, record = require('call'), require('record')
local state, now = record.state, call.now
local YOUNG, SETTLE = 120000, 10000

local birth = { SETTLE = SETTLE, settled = state.settled }

function birth.read_splices(text)
  local list = {}
  for born, offset in string.gmatch(text or '', '(%d+):(%d+)') do
    table.insert(list, { born = tonumber(born), offset = tonumber(offset) })
  end
  return list
end
birth.splices = birth.read_splices(record.stored.splices)
function birth.splice_of(list, born)
  for i = 1, #list do
    if list[i].born == born then
      return list[i]
    end
  end
end
function birth.written_splices()
  local written = {}
  for _, splice in ipairs(birth.splices) do
    table.insert(written, string.format('%d:%d', splice.born, splice.offset))
  end
  return table.concat(written, ' ')
end

-- `started` is a name: where the clock is behind it, `began` is the time.
function birth.data_age()
  return now - (state.began > 0 and state.began or state.started)
end
function birth.begin_data(started)
  state.started, state.began = started, started > now and now or 0
end
-- A clock that jumps back makes no data young again.
if state.started > 0 and birth.data_age() >= YOUNG then
  state.sealed = 1
  state.settled = math.max(state.settled, state.started)
end
state.quiet = math.min(state.quiet, now + SETTLE)
function birth.is_young()
  return state.sealed == 0 and state.started > 0 and birth.data_age() < YOUNG
end

-- The splice of the present data, as long as it may move.
function birth.own_splice()
  return birth.is_young() and birth.splice_of(birth.splices, state.started) or nil
end
-- What a ticket calls this number of the main line: its birth, its epoch, and the number there.
function birth.named(number)
  local own = birth.own_splice()
  if own and number > own.offset then
    return own.born, own.born == state.born and state.epoch or 1, number - own.offset
  end
  return state.born, state.epoch, number
end
-- All tickets were ended since this one, or since this beginning of the line.
function birth.was_ended(ticket)
  local since = ticket.born == state.born and 0 or math.floor(ticket.born / 1000)
  return math.max(ticket.epoch, since) < state.epoch
end

return birth
