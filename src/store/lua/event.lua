-- The event whose time it is, and its phase by the store's clock. `queue/event.rs` has the same rule, with its vectors.

-- What an operator set, else what the settings say: `id:prequeue:opens:closes:order` of each event in the order of their times,
-- 0 for one without an end. The order is `arrival`, `drawn`, or `drawn~SOURCE` where a public value from there decides it.
local event, phase
local function read_events()
  event, phase = nil, nil
  for id, prequeue, opens, closes, order in string.gmatch(live.events or arg.events or '', '(%S+):(%d+):(%d+):(%d+):(%S+)') do
    if phase == nil or phase == 'over' then
      event = {
        id = id, prequeue = tonumber(prequeue), opens = tonumber(opens), closes = tonumber(closes), order = order,
      }
      phase = event.closes > 0 and now >= event.closes and 'over' or now >= event.opens and 'open'
        or now >= event.prequeue and 'prequeue' or 'before'
    end
  end
end
read_events()
-- The same list, in which the open event is over. Times are whole seconds, as operators write them.
local function sold_out()
  local closes = math.max(event.opens + 1000, now - now % 1000)
  return (string.gsub(live.events or arg.events, '([%w_-]+)(:%d+:%d+:)%d+', function(id, times)
    return id == event.id and string.format('%s%s%d', id, times, closes)
  end))
end

-- The mode in this phase. After the beginning an operator who opens or closes the room means it.
local function scheduled_mode()
  if phase == 'before' then
    return 'closed'
  elseif live.mode == 'open' or live.mode == 'closed' or not event or phase == 'open' then
    return live.mode
  elseif phase == 'prequeue' or phase == 'drawing' then
    return 'hold'
  end
  return 'closed'
end

-- The event that this line has begun: `id opens base drawn order`. Its numbers begin behind `base`, and `drawn` of them were
-- drawn before it opened, -1 while that is not known. Once a secret is committed to, ` commitment secret value` stands behind
-- that: `secret` is - until the order is decided. `queue/begun.rs` has the same rules.
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
local begun = read_begun(set[18])
local function written_begun()
  local told = string.format('%s %d %d %d %s', begun.id, begun.opens, begun.base, begun.drawn, begun.order)
  return begun.commitment and table.concat({ told, begun.commitment, begun.secret or '-', begun.value or '' }, ' ') or told
end
local function write_begun()
  local told = written_begun()
  texts.event = told ~= set[18] and told or nil
end

-- The rules of an order by lot.
local lot = {}
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
    these.drawn = from.drawn >= 0 and math.max(from.base + from.drawn - these.base, 0) or -1
    these.commitment = these.commitment or these.opens == other.opens and other.commitment or nil
  end
  return these
end
-- The lot orders numbers that can still wait: a visitor who was called goes in by the number as it was drawn.
function lot.keep_waiting()
  if lot.is_undecided() and state.cursor > begun.base then
    begun.drawn = begun.drawn < 0 and -1 or math.max(begun.base + begun.drawn - state.cursor, 0)
    begun.base = state.cursor
  end
end
-- What is known besides. Of two events the one that opens later counts. Of one event a decided order counts, else what the older
-- data say: `age` is below 0 where those are the known ones.
local function take_begun(known, age)
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
-- Whether a lot gave another number to the visitor who drew this one.
function lot.is_redrawn(number)
  return begun and begun.secret and number > begun.base and number <= begun.base + begun.drawn
end
