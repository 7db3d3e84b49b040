-- An event begins, and its draws are counted when it opens. `queue/model/event.rs` has the same rule.

-- The numbers of waiting visitors end with the epoch and are never served, so the cursor passes them. Visitors inside are
-- called again and do not count as come for the first time.
local function end_all()
  begin_anew()
  state.credit, state.steady = 0, 0
  state.front_over = 0
  for _, lane in ipairs(lanes) do
    state[lane .. 'cursor'] = state[lane .. 'length']
  end
  regions.forget_owed()
  end_sessions()
  forget_rate()
end

-- The first verb in the pre-queue or after it begins the event: every ticket so far ends. Where the data are young, the store
-- may just have lost them, and the tickets may be of this event. An event with an earlier opening than the last one begins
-- nothing: a POP may have settings that are old.
local function begin_event()
  if not begun or begun.id ~= event.id and event.opens > begun.opens then
    if not is_young() then
      end_all()
    end
    begun = { id = event.id, opens = event.opens, base = state.length, drawn = -1, order = event.order }
    journal.note('event', '-', '-', journal.word(string.format('%s:%d:%s', event.id, event.opens, event.order)))
  end
  if begun.id ~= event.id then
    return
  end
  local id, opens, commitment = string.match(arg.commitment or '', '^(%S+) (%d+) (%x+)$')
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

local function follow_phase()
  if phase == 'prequeue' or phase == 'open' then
    begin_event()
    lot.note_drawing()
    local secret = begun.order == 'drawn' and lot.secret(arg.lot)
    if secret then
      lot.decide(secret, '', '-')
    end
  end
end
follow_phase()
judge_rate()
remember_before()
