-- The event that a line has begun, and the order of its numbers by lot, of which each lane has one of its own.
-- `events.begun`: `id opens base drawn order`. Its numbers of the main lane begin behind `base`, and `drawn` of them were drawn before it
-- opened, -1 while that is not known. `,LANE=base:drawn` of each other lane stands behind `drawn`. Once a secret is committed to,
-- ` commitment secret value` stands behind the order: `secret` is - until the order is decided. `queue/begun.rs` reads it, and computes
-- from a decided lot the numbers of visitors whom the edge tells them.
-- Gives `written`, `is_undecided`, `drawn`, `order_now`, `is_spent`, `count_anew`, `take`, `sold_out`, `end_all`, `note_drawing`, `secret`,
-- `decide`, `follow_phase`.

local call, record = require('call'), require('record')
local live, events, birth, lanes = require('live'), require('events'), require('birth'), require('lanes')
local journal, rate = require('journal'), require('rate')
local arg, now = call.arg, call.now
local state, stored, texts, main = record.state, record.stored, record.texts, lanes.main

-- `of`: `base` and `drawn` of each lane that is known, by its name. `name`: the lane of the two that have none.
local function read_begun(text, name)
  local id, opens, base, drawn, others, order, rest = string.match(text or '', '^(%S+) (%d+) (%d+) (%-?%d+)(%S*) (%S+)(.*)$')
  if not id then
    return
  end
  local of = { [name] = { base = tonumber(base), drawn = tonumber(drawn) } }
  for lane, lane_base, lane_drawn in string.gmatch(others, ',([^=]+)=(%d+):(%-?%d+)') do
    of[lane] = { base = tonumber(lane_base), drawn = tonumber(lane_drawn) }
  end
  local commitment, secret, value = string.match(rest, '^ (%S+) (%S+) (.*)$')
  return {
    id = id, opens = tonumber(opens), of = of, order = order, commitment = commitment, secret = secret ~= '-' and secret or nil,
    value = value,
  }
end
events.begun = read_begun(stored.event, 'main')

local lot = {}
-- What is known of the main lane; a ticket of another lane alone says nothing of it.
local function of_main()
  return events.begun.of.main or { base = 0, drawn = -1 }
end
function lot.written()
  local begun, of = events.begun, of_main()
  local words = { string.format('%s %d %d %d', begun.id, begun.opens, of.base, of.drawn) }
  for i = 2, #lanes.list do
    local name = lanes.list[i].name
    if begun.of[name] then
      table.insert(words, string.format(',%s=%d:%d', name, begun.of[name].base, begun.of[name].drawn))
    end
  end
  table.insert(words, ' ' .. begun.order)
  if begun.commitment then
    table.insert(words, string.format(' %s %s %s', begun.commitment, begun.secret or '-', begun.value or ''))
  end
  return table.concat(words)
end
local function write()
  local told = lot.written()
  texts.event = told ~= stored.event and told or nil
end

-- How many numbers were drawn before the event opened, -1 while that is not known.
function lot.drawn()
  local sum = 0
  for _, of in pairs(events.begun.of) do
    sum = sum + math.max(of.drawn, 0)
  end
  return of_main().drawn < 0 and -1 or sum
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
-- Whether the event whose time it is has not begun: with an earlier opening than the last one it begins nothing, since a POP may have
-- settings that are old.
local function is_to_begin()
  local begun, event = events.begun, events.current
  return not begun or begun.id ~= event.id and event.opens > begun.opens
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
  for id, prequeue, order in string.gmatch(list, '(%S+):(%d+):%d+:%d+:(%S+)') do
    if begun and (is_used(id, tonumber(prequeue)) or id == begun.id and order ~= begun.order and not begun.secret) then
      return true
    end
  end
end
-- What other data know of the same event, where these do not know it. Neither knows a decided order.
local function joined(these, other)
  for name, of in pairs(other.of) do
    local known = these.of[name] or { base = of.base, drawn = these.of.main.drawn < 0 and -1 or 0 }
    local from = known.drawn >= 0 and known or of
    known.base = math.max(known.base, math.min(from.base, lanes.of(name).cursor))
    known.drawn = from.drawn >= 0 and math.max(from.base + from.drawn - known.base, 0) or -1
    these.of[name] = known
  end
  these.commitment = these.commitment or these.opens == other.opens and other.commitment or nil
  return these
end
-- Both know the decided order, and each what it says of some lanes: a ticket has its own alone.
local function completed(these, other)
  for name, of in pairs(other.of) do
    if of.drawn >= 0 and (not these.of[name] or these.of[name].drawn < 0) then
      these.of[name] = of
    end
  end
  return these
end
-- How many drew before the start is counted anew.
function lot.count_anew()
  for _, of in pairs(events.begun.of) do
    of.drawn = -1
  end
end
-- The lot orders numbers that can still wait: a visitor who was called goes in by the number as it was drawn. How many they are is
-- said once: where the lane moved after that, there is no lot in it any more.
local function keep_waiting()
  local begun = events.begun
  if not lot.is_undecided() then
    return
  end
  for _, lane in ipairs(lanes.list) do
    local of = begun.of[lane.name] or { base = 0, drawn = of_main().drawn }
    if lane.cursor > of.base then
      begun.of[lane.name] = { base = lane.cursor, drawn = math.min(of.drawn, 0) }
    end
  end
end
-- What a copy or a ticket knows besides, where not all tickets ended since: an event of that name may have begun once more. Of two
-- events the one that opens later counts. Of one event a decided order counts, with the lanes that its text has, else what the older data say: `age` is below 0 where
-- those are the known ones. `name`: the lane of a ticket that says it.
function lot.take(told, by, age, name)
  local known, begun = not birth.was_ended(by) and read_begun(told, name or 'main'), events.begun
  if not known then
    return
  elseif not begun or known.id ~= begun.id then
    events.begun = begun and known.opens <= begun.opens and begun or known
  elseif known.secret and not begun.secret then
    known.order = begun.order ~= 'arrival' and begun.order or known.order
    events.begun = known
  elseif known.secret then
    events.begun = age < 0 and completed(known, begun) or completed(begun, known)
  elseif not begun.secret then
    events.begun = age < 0 and joined(known, begun) or joined(begun, known)
  end
  keep_waiting()
  write()
end

-- Begun anew on purpose: every ticket so far ends, and nothing is adopted any more. Epochs are comparable across losses,
-- since a raised one is never below the time in seconds.
local function begin_anew()
  state.epoch = math.max(state.epoch + 1, math.floor(now / 1000))
  -- Later than before, even when the clock is not: copies from before it take nothing back.
  birth.begin_data(math.max(now, state.started + 1))
  state.sealed, state.quiet = 1, 0
  state.settled, birth.splices, texts.splices = state.started, {}, false
end

-- The list of events in which the open one is over. Times are whole seconds, as operators write them.
function lot.sold_out()
  local event = events.current
  local closes = math.max(event.opens + 1000, now - now % 1000)
  return (string.gsub(live.events or arg.events, '([%w_-]+)(:%d+:%d+:)%d+', function(id, times)
    return id == event.id and string.format('%s%s%d', id, times, closes)
  end))
end

-- An event begins, and its draws are counted when it opens. The numbers of waiting visitors end with the epoch and are never
-- served, so the cursor passes them. Visitors inside are called again and do not count as come for the first time.
function lot.end_all()
  begin_anew()
  state.credit, state.steady = 0, 0
  for _, lane in ipairs(lanes.list) do
    lane.cursor = lane.length
  end
  lanes.forget_shares()
  require('sessions').end_all()
  rate.forget()
end

-- Now it is known how many numbers of this lane were drawn before the event opened.
local function seal(lane)
  local begun = events.begun
  local base = begun.of[lane.name] and begun.of[lane.name].base or 0
  local drawn = math.max(lane.length - base, 0)
  if lane == main or drawn > 0 or begun.of[lane.name] then
    begun.of[lane.name] = { base = base, drawn = drawn }
  end
  if lane == main or drawn > 0 then
    journal.note('seal', '-', '-', journal.word(string.format('%s:%d:%d', lane == main and begun.id or lane.name, base, drawn)))
  end
end
-- The first verb in the pre-queue or after it begins the event: every ticket so far ends. Where the data are young, the store
-- may just have lost them, and the tickets may be of this event.
local function begin_event(brought)
  local event = events.current
  if is_to_begin() then
    if not birth.is_young() then
      lot.end_all()
    end
    local of = { main = { base = main.length, drawn = -1 } }
    for i = 2, #lanes.list do
      local lane = lanes.list[i]
      of[lane.name] = lane.length > 0 and { base = lane.length, drawn = -1 } or nil
    end
    events.begun = { id = event.id, opens = event.opens, of = of, order = event.order }
    journal.note('event', '-', '-', journal.word(string.format('%s:%d:%s', event.id, event.opens, event.order)))
  end
  local begun = events.begun
  if begun.id ~= event.id then
    return
  end
  local id, opens, commitment = string.match(brought or '', '^(%S+) (%d+) (%x+)$')
  local is_for_this = id == begun.id and tonumber(opens) == begun.opens and begun.order ~= 'arrival'
  if is_for_this and of_main().drawn < 0 and not begun.commitment then
    begun.commitment = commitment
  end
  keep_waiting()
  if events.phase == 'open' then
    -- What was missed before it opened is not made up for.
    state.anchor = math.max(state.anchor, event.opens)
    -- While the data are young, a copy may come that knows of more numbers.
    if of_main().drawn < 0 and not begun.secret and not birth.is_young() then
      for _, lane in ipairs(lanes.list) do
        seal(lane)
      end
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
    if events.phase == 'drawing' and lot.drawn() > 0 and not birth.is_young() and commitment == begun.commitment then
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
