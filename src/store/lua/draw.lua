-- How a number is drawn.

-- Whether a draw is above the bound of its network, and what one costs there: see network.lua.
local network = {}

-- What the visitor brings to go past the line: see invite.lua.
local invitation = {}
-- How often it may be used, when it ends, how many visitors of all may go in by one in a minute, and the way that it opens.
invitation.uses, invitation.ends, invitation.most, invitation.lane = string.match(arg.invite or '', '^(%d+) (%d+) (%d+) (%a+)$')
-- An answer to a visitor who brings one says what became of it.
invitation.says = invitation.uses and 'kept' or nil

-- `asked`: the name of the lane in which the visitor's number is, or was before the line was lost.
local function go_past(asked)
  if invitation.uses or asked == 'front' then
    return use('invite').go_past(asked)
  end
end

-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room, and a network above its bound, gives no new number: 0. Besides: whether it was drawn before.
local function draw(asked)
  local known = front.memory()
  local born, epoch, position = string.match(known, '^(%d+):(%d+):(%d+)')
  local number = born and number_of({ born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) })
  if number then
    front.keep_memory()
    return number, true
  end
  number = string.find(known, ' region ', 1, true) and use('regions').drawn_before()
  if number then
    front.keep_memory()
    return number, true
  end
  if mode_now() == 'closed' then
    return 0
  end
  if key.network and not use('network').lets_draw() then
    return 0
  end
  if asked and asked ~= 'front' then
    return use('regions').draw(asked)
  end
  count_draw('')
  if regions.list[1] then
    regions.come('*')
  end
  state.length, state.drawn = state.length + 1, state.drawn + 1
  local birth, own = named(state.length)
  front.remember('number', string.format('%d:%d:%d', birth, birth == state.born and state.epoch or 1, own))
  return state.length
end

-- A visitor who goes straight in claims a session at once. One who drew the number before may have a ticket with it, by which it is
-- known to be claimed: the visitor gets that ticket now, and goes in by it.
local function claim_drawn(number, is_repeated)
  if is_capped and not (is_repeated and is_enforced()) then
    return use('sessions').claim(number)
  end
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget.
local function arrive(asked)
  local number, last, is_same, lane
  if is_capped then
    number, last, is_same, lane = use('sessions').claimed_before()
  end
  if number then
    front.says = lane
    return number, is_same and last or -1
  end
  release()
  local position, session = go_past(asked)
  if position then
    return position, session
  end
  local is_repeated
  position, is_repeated = draw(asked)
  release()
  -- A visitor whom the lot moved learns the number first.
  local of = regions.lane(front.says)
  if position > 0 and position <= state[of .. 'cursor'] and not (of == '' and is_redrawn(position)) then
    return position, claim_drawn(position, is_repeated)
  end
  return position
end
