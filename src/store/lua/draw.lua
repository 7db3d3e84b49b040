-- How a number is drawn.

-- How many numbers one network may draw in an hour, which begins with the first of them, and what is done above that.
-- `queue/networks.rs` has the same rule. In an open room a number is no place in a line, so it is never held back.
local network = {}
network.most, network.rule = string.match(arg.bound or '', '^(%d+) (%a+)$')
function network.lets_draw()
  if not key.network then
    return true
  end
  local known = redis.pcall('GET', key.network)
  local ends, many = string.match(type(known) == 'string' and known or '', '^(%d+) (%d+)$')
  ends, many = tonumber(ends or 0), tonumber(many or 0)
  if now >= ends then
    ends, many = now + TTL.network * 1000, 0
  end
  if many >= tonumber(network.most) then
    network.says = network.rule == 'on' and mode_now() ~= 'open' and 'challenged' or 'drawn'
  end
  if network.says == 'challenged' then
    return false
  end
  -- A key of another type is replaced.
  redis.call('SET', key.network, string.format('%d %d', ends, many + 1), 'EX', TTL.network)
  return true
end

-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room, and a network above its bound, gives no new number: 0.
local function draw()
  local born, epoch, position = string.match(redis.call('GET', key.draw) or '', '^(%d+):(%d+):(%d+)')
  local number = born and number_of({ born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) })
  if number then
    front.keep_memory()
    return number
  end
  number = regions.drawn_before()
  if number then
    front.keep_memory()
    return number
  end
  if mode_now() == 'closed' then
    return 0
  end
  if not network.lets_draw() then
    return 0
  end
  if arg.lane and arg.lane ~= 'front' then
    return regions.draw(arg.lane)
  end
  count_draw('')
  regions.come('*')
  state.length, state.drawn = state.length + 1, state.drawn + 1
  local birth, own = named(state.length)
  front.remember('number', string.format('%d:%d:%d', birth, birth == state.born and state.epoch or 1, own))
  return state.length
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget. A visitor who goes straight in
-- claims a session at once.
local function arrive()
  local number, last, is_same, lane = claimed_before()
  if number then
    front.says = lane
    return number, is_same and last or -1
  end
  release()
  local position, session = front.go_past()
  if position then
    return position, session
  end
  position = draw()
  release()
  -- A visitor whom the lot moved learns the number first.
  local of = regions.lane(front.says)
  if position > 0 and position <= state[of .. 'cursor'] and not (of == '' and lot.is_redrawn(position)) then
    return position, claim(position)
  end
  return position
end
