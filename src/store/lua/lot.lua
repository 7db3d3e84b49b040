-- The event that a line has begun, and the order of its numbers by lot, of which each lane has one of its own.
-- `events.begun`: `id opens order numbers`. The numbers are `-` until it opens. Then they are those that were drawn until then and not called,
-- which are fixed from then on: `LANE/ROLL=base:drawn,…`, `drawn` of them behind `base`, or `none`. Once a secret is committed to,
-- `commitment secret value` stands behind them: `secret` is - until the order is decided. `queue/begun.rs` reads it, and computes from a
-- decided lot the places of visitors whom the edge tells them: over the numbers of all rolls of a lane.
-- Gives `written`, `is_undecided`, `drawn`, `order_now`, `is_spent`, `take`, `sold_out`, `end_tickets`, `note_drawing`, `secret`, `decide`,
-- `follow_phase`.

local call, record = require('call'), require('record')
local live, events, rolls, lanes = require('live'), require('events'), require('rolls'), require('lanes')
local journal, rate = require('journal'), require('rate')
local arg, now = call.arg, call.now
local state, stored, texts = record.state, record.stored, record.texts

-- `of`: `base` and `drawn` of each stretch, by its name; nothing until the event opens.
local function read_begun(text)
  local id, opens, order, numbers, rest = string.match(text or '', '^(%S+) (%d+) (%S+) (%S+)(.*)$')
  if not id then
    return
  end
  local commitment, secret, value = string.match(rest, '^ (%S+) (%S+) (.*)$')
  secret = secret ~= '-' and secret or nil
  local of = (numbers ~= '-' or secret) and {} or nil
  for name, base, drawn in string.gmatch(numbers, '([^=,]+)=(%d+):(%d+)') do
    of[name] = { base = tonumber(base), drawn = tonumber(drawn) }
  end
  return { id = id, opens = tonumber(opens), of = of, order = order, commitment = commitment, secret = secret, value = value }
end
events.begun = read_begun(stored.event)

local lot = {}
local function numbers_of(of)
  local words = {}
  for name, numbers in pairs(of or {}) do
    table.insert(words, string.format('%s=%d:%d', name, numbers.base, numbers.drawn))
  end
  table.sort(words)
  return of and (words[1] and table.concat(words, ',') or 'none') or '-'
end
function lot.written()
  local begun = events.begun
  local text = string.format('%s %d %s %s', begun.id, begun.opens, begun.order, numbers_of(begun.of))
  return begun.commitment and string.format('%s %s %s %s', text, begun.commitment, begun.secret or '-', begun.value or '') or text
end
local function write()
  local told = lot.written()
  texts.event = told ~= stored.event and told or nil
end

-- How many numbers the order is of, -1 while that is not known.
function lot.drawn()
  local sum = events.begun.of and 0 or -1
  for _, numbers in pairs(events.begun.of or {}) do
    sum = sum + numbers.drawn
  end
  return sum
end
-- Nobody is to be put in order where no number was drawn.
function lot.is_undecided()
  local begun = events.begun
  return begun and begun.commitment and not begun.secret and lot.drawn() ~= 0
end
-- Whether the event that has begun is held once more: its order is known, and its pre-queue begins later than it opened.
local function is_used(id, prequeue)
  local begun = events.begun
  local is_known = begun.order ~= 'arrival' and (begun.secret or lot.drawn() == 0)
  return id == begun.id and is_known and prequeue > begun.opens
end
-- Whether numbers wait by the places that the lot gave them.
local function is_serving()
  for name, numbers in pairs(events.begun.secret and events.begun.of or {}) do
    local stretch = record.stretches[name]
    if stretch and stretch.served < numbers.base + numbers.drawn then
      return true
    end
  end
end
-- Whether the event whose time it is has not begun: with an earlier opening than the last one it begins nothing, since a POP may have
-- settings that are old. Nor does one that ends no numbers, while those wait that an earlier lot has put in order: it goes by arrival, and
-- `passed` names it, so that it draws no lot in its middle.
local function is_to_begin()
  local begun, event = events.begun, events.current
  local ends_numbers = not event.outside or event.ends_visits
  if not begun then
    return true
  elseif begun.id == event.id or event.opens <= begun.opens or (texts.passed or stored.passed) == event.id then
    return false
  elseif not ends_numbers and is_serving() then
    texts.passed = events.phase ~= 'outside' and event.id or nil
    return false
  end
  return true
end
-- The order of the event is the one with which it began. An event that begins no line of its own has none to draw.
function lot.order_now()
  local begun, event = events.begun, events.current
  if is_to_begin() then
    return event.order
  elseif begun.id ~= event.id or is_used(event.id, event.prequeue) then
    return 'arrival'
  end
  return begun.order
end
-- Whether a list changes the order of the event that has begun, or holds that event once more.
function lot.is_spent(list)
  local begun = events.begun
  for id, prequeue, order in string.gmatch(list, '(%S-):(%d+):%d+:%d+:([^%s:]+)') do
    if begun and (is_used(id, tonumber(prequeue)) or id == begun.id and order ~= begun.order and not begun.secret) then
      return true
    end
  end
end
-- The lot orders numbers that can still wait. How many they are is said once: what moved after that is in no lot any more.
local function keep_waiting()
  for name, numbers in pairs(lot.is_undecided() and events.begun.of or {}) do
    local stretch, born = record.stretches[name], string.match(name, '/(%d+)$')
    if rolls.has_ended(born) or stretch and stretch.served > numbers.base then
      events.begun.of[name] = nil
    end
  end
end
-- A ticket has the numbers of its own lane alone. An order that was decided stays.
local function add_lanes(of, others)
  local has = {}
  for name in pairs(of) do
    has[string.match(name, '^(.+)/')] = true
  end
  for name, numbers in pairs(others or {}) do
    of[name] = not has[string.match(name, '^(.+)/')] and numbers or of[name]
  end
end
-- What a copy or a ticket knows besides. Of two events the one that opens later counts. Of one event a decided order counts, else the
-- numbers that the older data fixed: `age` is below 0 where those are the known ones.
function lot.take(told, age)
  local known, begun = read_begun(told), events.begun
  if not known then
    return
  elseif not begun or known.id ~= begun.id then
    local is_earlier = begun and known.opens <= begun.opens
    events.begun = known
    -- Young data may have begun an event before they knew that an earlier lot is still served.
    if is_earlier and not (rolls.is_young() and not begun.of and is_serving()) then
      events.begun = begun
    end
  elseif known.secret and begun.secret then
    add_lanes(begun.of, known.of)
  elseif known.secret then
    known.order = begun.order ~= 'arrival' and begun.order or known.order
    add_lanes(known.of, begun.of)
    events.begun = known
  elseif not begun.secret then
    begun.of = age < 0 and known.of or begun.of or known.of
    begun.commitment = begun.commitment or known.opens == begun.opens and known.commitment or nil
  end
  keep_waiting()
  write()
end

-- The list of events in which the open one is over. Times are whole seconds, as operators write them.
function lot.sold_out()
  local event = events.current
  local closes = math.max(event.opens + 1000, now - now % 1000)
  return (string.gsub(live.events or arg.events, '([%w_-]+)(:%d+:%d+:)%d+', function(id, times)
    return id == event.id and string.format('%s%s%d', id, times, closes)
  end))
end

-- On purpose: a roll begins, and every number so far ends. Those of the roll go on behind them.
local function end_numbers()
  local before = {}
  for _, lane in ipairs(lanes.list) do
    before[lane] = lanes.sum(lane, 'drawn')
  end
  rolls.begin()
  rolls.end_before(state.own)
  for lane, drawn in pairs(before) do
    if drawn > 0 then
      local of = lanes.stretch(lane, state.own)
      of.drawn, of.served = drawn, drawn
    end
  end
  -- What older data knew has ended too.
  state.sealed, state.quiet, state.credit, state.steady = 1, 0, 0, 0
  lanes.forget_shares()
  require('sessions').forget_promises()
  rate.forget()
end
-- Visits too. Who was inside is called again, and does not count as come for the first time.
function lot.end_tickets()
  end_numbers()
  state.visits_epoch = state.own
  require('sessions').end_all()
end

-- Now it is known which numbers were drawn before the event opened. Who was called goes in by the number as it was drawn.
local function seal()
  local of = {}
  for _, lane in ipairs(lanes.list) do
    local drawn = lanes.waiting_in(lane)
    for _, stretch in ipairs(lane.stretches) do
      if stretch.drawn > stretch.served then
        of[stretch.name] = { base = stretch.served, drawn = stretch.drawn - stretch.served }
      end
    end
    if lane == lanes.main or drawn > 0 then
      local name = lane == lanes.main and events.begun.id or lane.name
      journal.note('seal', '-', '-', journal.word(string.format('%s:%d:%d', name, lanes.sum(lane, 'served'), drawn)))
    end
  end
  events.begun.of = of
end
-- The first verb in the pre-queue or after it begins the event: every number so far ends, where the room was closed before. Where young
-- data began in the pre-queue or after it, the store may have lost them then, and the tickets may be of this event.
local function begin_event(brought)
  local event = events.current
  if is_to_begin() then
    local may_end = not rolls.is_young() or state.began < event.prequeue
    if event.ends_visits and may_end then
      lot.end_tickets()
    -- Beside a room that goes on an event has no line of its own: those who wait then wait for it.
    elseif not event.outside and may_end then
      end_numbers()
    end
    events.begun = { id = event.id, opens = event.opens, order = event.order }
    journal.note('event', '-', '-', journal.word(string.format('%s:%d:%s', event.id, event.opens, event.order)))
  end
  local begun = events.begun
  if begun.id ~= event.id then
    return
  end
  local id, opens, commitment = string.match(brought or '', '^(%S+) (%d+) (%x+)$')
  local is_for_this = id == begun.id and tonumber(opens) == begun.opens and begun.order ~= 'arrival'
  if is_for_this and not begun.of and not begun.commitment then
    begun.commitment = commitment
  end
  keep_waiting()
  if events.phase == 'open' then
    -- What was missed before it opened is not made up for.
    state.anchor = math.max(state.anchor, event.opens)
    -- While the data are young, a copy may come that knows of more numbers.
    if not begun.of and not rolls.is_young() then
      seal()
    end
  end
  write()
end

-- Until the order by lot is decided, the cursor stands.
function lot.note_drawing()
  if events.phase == 'open' or events.phase == 'drawing' then
    events.phase = events.begun.id == events.current.id and lot.is_undecided() and 'drawing' or 'open'
  end
end

-- The secret that was committed to, of those that the POP brings: `commitment:secret`. How many drew before the start has to be known
-- for good: while the data are young, a copy may know better.
function lot.secret(brought)
  local begun = events.begun
  for commitment, secret in string.gmatch(brought or '', '(%x+):(%x+)') do
    if events.phase == 'drawing' and lot.drawn() > 0 and not rolls.is_young() and commitment == begun.commitment then
      return secret
    end
  end
end

-- What was missed meanwhile is not made up for.
function lot.decide(secret, value, who)
  local begun = events.begun
  begun.secret, begun.value = secret, value
  journal.note('lot', '-', who, journal.word(begun.id .. ':' .. value))
  write()
  lot.note_drawing()
  state.anchor = math.max(state.anchor, now)
end

-- `commitment`: to a secret for an event that begins.
function lot.follow_phase(commitment)
  begin_event(commitment)
  lot.note_drawing()
  local secret = events.begun.order == 'drawn' and lot.secret(arg.lot)
  if secret then
    lot.decide(secret, '', '-')
  end
end

return lot
