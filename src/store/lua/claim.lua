-- How a called visitor claims a session, where a cap holds.

-- What this ticket was given before: its number, the last minute of its session, and whether the same visitor asks again: soon
-- after, since the answer was lost, or from the same network. `front `, or the name of a region, stands before a number of that
-- lane.
local function claimed_before()
  local memory = key.claim and redis.pcall('GET', key.claim)
  memory = type(memory) == 'string' and memory or ''
  local lane = string.match(memory, '^(%a%S*) ')
  local born, epoch, position, last, second, network =
    string.match(memory, '(%d+):(%d+):(%d+) (%d+) (%d+) (.*)$', lane and #lane + 2 or 1)
  local ticket = born and { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
  local number = ticket and front.number_in(regions.lane(lane), ticket)
  if number and this_minute <= tonumber(last) then
    local is_soon = now < (tonumber(second) + TTL.draw) * 1000
    return number, tonumber(last), is_soon or network ~= '' and network == arg.network, lane
  end
end

-- The last minute of the session; 0 where no slot is free, -1 for the copy of a ticket that has had its session. `bit` is the
-- place of the ticket, by its number and its id, among those that have claimed, where a ticket names it.
local function claim(number, bit)
  local is_main = not front.says
  -- An operator's test ticket claims with its first visit.
  if not key.claim then
    return
  elseif not lets_in() then
    return 0
  end
  local _, known, is_same = claimed_before()
  if known then
    return is_same and known or -1
  elseif bit and redis.pcall('GETBIT', key.claimed, bit) == 1 then
    return -1
  elseif turns.is_over(regions.lane(front.says), number) then
    return
  elseif claimable() == 0 then
    return 0
  end
  take_promise(is_main and number)
  local last = this_minute + cap.minutes
  open(last, arg.mark)
  local born, own = state.born, number
  if is_main then
    born, own = named(number)
  end
  local memory = string.format('%s%d:%d:%d %d %d %s', is_main and '' or front.says .. ' ', born, born == state.born and state.epoch or 1, own,
    last, math.floor(now / 1000), arg.network or '')
  redis.call('SET', key.claim, memory, 'EX', (cap.minutes + 1) * 60)
  -- After the session, which the ticket gets again meanwhile.
  if bit then
    redis.pcall('SETBIT', key.claimed, bit, 1)
    redis.pcall('EXPIRE', key.claimed, lifetime)
  end
  -- From now on the ticket is not good for another number.
  front.forget_draw()
  return last
end

return {
  begin = begin, free = free, promise = promise, claim = claim, claimed_before = claimed_before, open = open,
  claimable = claimable, renew = renew, begin_ring = begin_ring, take_sessions = take_sessions, end_all = end_all_sessions, tell = tell,
  write = write, keep = keep, end_marked = end_marked, ended_news = ended_news, is_news_of = is_news_of,
}
