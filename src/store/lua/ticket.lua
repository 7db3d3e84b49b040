-- What a ticket proves, and its place here. The edge reads the same from a copy of the board (`queue/rolls.rs`).
-- A ticket has `born`, `position` and `seen`: its roll, its number there, and what was served of it when the ticket was signed; and
-- `epoch` and `visits_epoch`, the first roll that counted then, and the first one of which visits did.
-- Gives `learn`, `take`, `witness`, `place_in`.

local call, record, rolls, lanes = require('call'), require('record'), require('rolls'), require('lanes')
local state, texts = record.state, record.texts
-- The number of tickets that bring back a roll of which no copy knows, and the number of such rolls that are remembered.
local WITNESSES, PROVED = 3, 3

-- A copy or a ticket shows so much of a stretch, which only grows. Whether it was news.
local function learn(of, served, drawn)
  local has_grown = drawn > of.drawn or served > of.served
  if served > of.served then
    -- Remembered, not admitted now: the measurement begins anew.
    require('rate').forget_lane(lanes.of(of.lane))
    -- Of what was reported to these data nobody was called before they began.
    local live = require('live')
    if live.set_at.stock < state.began then
      live.sell(served - of.served)
    end
  end
  of.served, of.drawn = math.max(of.served, served), math.max(of.drawn, drawn)
  return has_grown
end
-- What the ticket shows of its roll. More numbers than the own roll has means that the store has lost some.
local function take(lane, ticket)
  if rolls.has_ended(ticket.born) or not rolls.is_known(ticket.born) or ticket.position == 0 then
    return
  end
  local of = lanes.stretch(lane, ticket.born)
  local is_further = ticket.position > of.drawn
  learn(of, math.min(ticket.seen, ticket.position), ticket.position)
  if is_further and ticket.born == state.own then
    require('loss')()
    rolls.keep_few()
  end
  state.merged = state.merged + (is_further and 1 or 0)
end

-- What is known of unknown rolls: `proofs` has for each of the last few of them its name, the greatest epochs of its tickets, their ids, and
-- `LANE=number:seen` of each.
local function proofs_of(born)
  local others, own = {}, { epoch = 0, visits_epoch = 0, ids = '', numbers = '' }
  for entry in string.gmatch(record.stored.proofs or '', '[^;]+') do
    local of, epoch, visits_epoch, ids, numbers = string.match(entry, '^(%d+) (%d+) (%d+) (%S+) (%S+)$')
    if tonumber(of) == born then
      own = { epoch = tonumber(epoch), visits_epoch = tonumber(visits_epoch), ids = ids, numbers = numbers }
    else
      table.insert(others, entry)
    end
  end
  return own, { unpack(others, math.max(#others - PROVED + 2, 1)) }
end
-- A ticket of a younger roll shows that the data went back to before it, as by a backup: they are young again, wait for what knows more,
-- and begin a roll behind that one, whatever their clock says.
local function show_loss(roll)
  if rolls.is_apart() then
    state.met = call.now
    require('loss')(roll)
    rolls.keep_few()
  end
end
-- Three tickets of one roll bring it back of which no copy knows, and end what had ended for one of them.
local function witness(lane, ticket)
  if rolls.is_known(ticket.born) or not rolls.may_come(ticket.born) then
    return
  elseif ticket.born > state.own then
    return show_loss(ticket.born)
  elseif rolls.data_age() < rolls.QUIET then
    return
  end
  local proofs, others = proofs_of(ticket.born)
  local many = select(2, string.gsub(proofs.ids, ',', ''))
  local is_new = many < WITNESSES and not string.find(proofs.ids, ticket.id, 1, true)
  if is_new then
    many = many + 1
    proofs.epoch, proofs.ids = math.max(proofs.epoch, ticket.epoch), proofs.ids .. ticket.id .. ','
    proofs.visits_epoch = math.max(proofs.visits_epoch, ticket.visits_epoch)
    proofs.numbers = string.format('%s%s=%d:%d,', proofs.numbers, lane.name, ticket.position, math.min(ticket.seen, ticket.position))
  end
  if many < WITNESSES then
    if is_new then
      table.insert(others, string.format('%d %d %d %s %s', ticket.born, proofs.epoch, proofs.visits_epoch, proofs.ids, proofs.numbers))
      texts.proofs = table.concat(others, ';')
    end
    return
  end
  texts.proofs = others[1] and table.concat(others, ';') or false
  if proofs.epoch > state.epoch then
    rolls.end_before(math.min(proofs.epoch, ticket.born))
  end
  state.visits_epoch = math.max(state.visits_epoch, math.min(proofs.visits_epoch, ticket.born))
  lanes.know(ticket.born)
  for name, number, seen in string.gmatch(proofs.numbers, '([^=,]+)=(%d+):(%d+)') do
    learn(lanes.stretch(lanes.of(name), ticket.born), tonumber(seen), tonumber(number))
  end
  state.merged = state.merged + 1
  rolls.keep_few()
end

-- The place of a ticket in this lane: nothing when its roll has ended, false until that is known.
local function place_in(lane, ticket)
  local of = lanes.find(lane, ticket.born)
  if of and ticket.position <= of.drawn then
    return { of = of, number = ticket.position }
  elseif not rolls.is_known(ticket.born) and rolls.may_come(ticket.born) then
    return false
  end
end

return { learn = learn, take = take, witness = witness, place_in = place_in }
