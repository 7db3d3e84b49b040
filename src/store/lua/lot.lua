-- The event that a line has begun, and the order of its numbers by lot.

-- The event that this line has begun: `id opens base drawn order`. Its numbers begin behind `base`, and `drawn` of them were
-- drawn before it opened, -1 while that is not known. Once a secret is committed to, ` commitment secret value` stands behind
-- that: `secret` is - until the order is decided. `queue/begun.rs` reads it, and computes from a
-- decided lot the numbers of visitors whom the edge tells them.
local function read_begun(text)
  local id, opens, base, drawn, order, rest = string.match(text or '', '^(%S+) (%d+) (%d+) (%-?%d+) (%S+)(.*)$')
  if not id then
    return
  end
  local commitment, secret, value = string.match(rest, '^ (%S+) (%S+) (.*)$')
  return {
    id = id, opens = tonumber(opens), base = tonumber(base), drawn = tonumber(drawn), order = order,
    commitment = commitment, secret = secret ~= '-' and secret or nil, value = value,
  }
end
begun = read_begun(stored.event)
local function written_begun()
  local told = string.format('%s %d %d %d %s', begun.id, begun.opens, begun.base, begun.drawn, begun.order)
  return begun.commitment and table.concat({ told, begun.commitment, begun.secret or '-', begun.value or '' }, ' ') or told
end
local function write_begun()
  local told = written_begun()
  texts.event = told ~= stored.event and told or nil
end

-- The rules of an order by lot.
local lot = { written = written_begun }
-- Nobody is to be put in order where no number was drawn.
function lot.is_undecided()
  return begun and begun.commitment and not begun.secret and begun.drawn ~= 0
end
-- Whether the event that has begun is held once more: its order is known, and its pre-queue begins later than it opened.
function lot.is_used(id, prequeue)
  local is_known = begun.order ~= 'arrival' and (begun.secret or begun.drawn == 0)
  return id == begun.id and is_known and prequeue > begun.opens
end
-- The order of the event is the one with which it began. An event that begins no line of its own has none to draw.
function lot.order_now()
  if not begun or begun.id ~= event.id and event.opens > begun.opens then
    return event.order
  elseif begun.id ~= event.id or lot.is_used(event.id, event.prequeue) then
    return 'arrival'
  end
  return begun.order
end
-- Whether a list changes the order of the event that has begun, or holds that event once more.
function lot.is_spent(list)
  for id, prequeue, order in string.gmatch(list, '(%S+):(%d+):%d+:%d+:(%S+)') do
    if begun and (lot.is_used(id, tonumber(prequeue)) or id == begun.id and order ~= begun.order and not begun.secret) then
      return true
    end
  end
end
-- What other data know of the same event, where these do not know it.
function lot.joined(these, other)
  if not these.secret then
    local from = these.drawn >= 0 and these or other
    these.base = math.max(these.base, math.min(from.base, state.cursor))
    these.drawn = from.drawn >= 0 and math.max(from.base + from.drawn - these.base, 0) or -1
    these.commitment = these.commitment or these.opens == other.opens and other.commitment or nil
  end
  return these
end
-- The lot orders numbers that can still wait: a visitor who was called goes in by the number as it was drawn. How many they are is
-- said once: where the line moved after that, there is no lot any more.
function lot.keep_waiting()
  if lot.is_undecided() and state.cursor > begun.base then
    begun.base, begun.drawn = state.cursor, math.min(begun.drawn, 0)
  end
end
-- What a copy or a ticket knows besides, where not all tickets ended since: an event of that name may have begun once more. Of two
-- events the one that opens later counts. Of one event a decided order counts, else what the older data say: `age` is below 0 where
-- those are the known ones.
function lot.take(told, by, age)
  local known = not use('lanes').was_ended(by) and read_begun(told)
  if not known then
    return
  elseif not begun or known.id ~= begun.id then
    begun = begun and known.opens <= begun.opens and begun or known
  elseif known.secret and not begun.secret then
    known.order = begun.order ~= 'arrival' and begun.order or known.order
    begun = known
  elseif known.secret or not begun.secret then
    begun = age < 0 and lot.joined(known, begun) or lot.joined(begun, known)
  end
  lot.keep_waiting()
  write_begun()
end

-- Begun anew on purpose: every ticket so far ends, and nothing is adopted any more. Epochs are comparable across losses,
-- since a raised one is never below the time in seconds.
local function begin_anew()
  state.epoch = math.max(state.epoch + 1, math.floor(now / 1000))
  -- Later than before, even when the clock is not: signs from before it take nothing back.
  begin_data(math.max(now, state.started + 1))
  state.sealed, state.quiet = 1, 0
  state.settled, splices, texts.splices = state.started, {}, false
end

-- The list of events in which the open one is over. Times are whole seconds, as operators write them.
function lot.sold_out()
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
  state.front_over = 0
  for _, lane in ipairs(lanes) do
    state[lane .. 'cursor'] = state[lane .. 'length']
  end
  if regions.list[1] then
    regions.forget_owed()
  end
  use('sessions').end_all()
  forget_rate()
end

-- The first verb in the pre-queue or after it begins the event: every ticket so far ends. Where the data are young, the store
-- may just have lost them, and the tickets may be of this event. An event with an earlier opening than the last one begins
-- nothing: a POP may have settings that are old.
local function begin_event(brought)
  if not begun or begun.id ~= event.id and event.opens > begun.opens then
    if not is_young() then
      lot.end_all()
    end
    begun = { id = event.id, opens = event.opens, base = state.length, drawn = -1, order = event.order }
    journal.note('event', '-', '-', journal.word(string.format('%s:%d:%s', event.id, event.opens, event.order)))
  end
  if begun.id ~= event.id then
    return
  end
  local id, opens, commitment = string.match(brought or '', '^(%S+) (%d+) (%x+)$')
  local is_for_this = id == begun.id and tonumber(opens) == begun.opens and begun.order ~= 'arrival'
  if is_for_this and begun.drawn < 0 and not begun.commitment then
    begun.commitment = commitment
  end
  lot.keep_waiting()
  if phase == 'open' then
    -- What was missed before it opened is not made up for.
    state.anchor = math.max(state.anchor, event.opens)
    -- While the data are young, a copy may come that knows of more numbers.
    if begun.drawn < 0 and not is_young() then
      begun.drawn = math.max(state.length - begun.base, 0)
      journal.note('seal', '-', '-', journal.word(string.format('%s:%d:%d', begun.id, begun.base, begun.drawn)))
    end
  end
  write_begun()
end

-- Until the order by lot is decided, the cursor stands.
function lot.note_drawing()
  if phase == 'open' or phase == 'drawing' then
    phase = begun.id == event.id and lot.is_undecided() and 'drawing' or 'open'
  end
end

-- The secret that was committed to, of those that the POP brings: `commitment:secret`. How many drew before the start has to be known
-- for good: while the data are young, a copy may know better.
function lot.secret(brought)
  for commitment, secret in string.gmatch(brought or '', '(%x+):(%x+)') do
    if phase == 'drawing' and begun.drawn > 0 and not is_young() and commitment == begun.commitment then
      return secret
    end
  end
end

-- What was missed meanwhile is not made up for.
function lot.decide(secret, value, who)
  begun.secret, begun.value = secret, value
  journal.note('lot', '-', who, journal.word(begun.id .. ':' .. value))
  write_begun()
  lot.note_drawing()
  state.anchor = math.max(state.anchor, now)
end

-- `commitment`: to a secret for an event that begins.
function lot.follow_phase(commitment)
  begin_event(commitment)
  lot.note_drawing()
  local secret = begun.order == 'drawn' and lot.secret(arg.lot)
  if secret then
    lot.decide(secret, '', '-')
  end
end

return lot
