-- How a called visitor claims a session, where a cap holds.
-- Gives `claimed_before`, `claim`, `straight`.

local call = require('call')
local live, mode, cap = require('live'), require('mode'), require('cap')
local rolls, lanes = require('rolls'), require('lanes')
local memory, sessions, ticket = require('memory'), require('sessions'), require('ticket')
local arg, key, now, this_minute = call.arg, call.key, call.now, call.minute

-- What this ticket was given before: its place, the last minute of its session, and whether the same visitor asks again (soon after,
-- since the answer was lost, or from the same network).
local function claimed_before()
  local known = key.claim and redis.pcall('GET', key.claim)
  known = type(known) == 'string' and known or ''
  local lane, born, position, last, second, network = string.match(known, '^(%S+) (%d+):(%d+) (%d+) (%d+) (.*)$')
  born, position = tonumber(born), tonumber(position)
  -- An event has ended the number, and not the visit that it opened.
  local is_visit = lane and rolls.has_ended(born) and not rolls.has_ended_visits(born)
  local place = is_visit and { of = { lane = lane, born = born }, number = position }
    or lane and ticket.place_in(lanes.of(lane), { born = born, position = position })
  if place and this_minute <= tonumber(last) then
    local is_soon = now < (tonumber(second) + call.TTL.draw) * 1000
    return place, tonumber(last), is_soon or network ~= '' and network == arg.network
  end
end

-- The last minute of the session; 0 where no slot is free, -1 for the copy of a ticket that has had its session. `bit` is the place of
-- the ticket, by its number and its id, among those that have claimed, where a ticket names it.
local function claim(place, bit)
  -- An operator's test ticket claims with its first visit.
  if not key.claim then
    return
  elseif not mode.lets_in() then
    return 0
  end
  local _, known, is_same = claimed_before()
  if known then
    return is_same and known or -1
  elseif bit and redis.pcall('GETBIT', key.claimed, bit) == 1 then
    return -1
  elseif arg.turn_minutes and require('turns').is_over(place) then
    return
  elseif sessions.claimable() == 0 then
    return 0
  end
  sessions.take_promise(place)
  local last = this_minute + cap.minutes
  sessions.open(last, arg.mark)
  local words = string.format('%s %d:%d %d %d %s', place.of.lane, place.of.born, place.number, last, math.floor(now / 1000),
    arg.network or '')
  redis.call('SET', key.claim, words, 'EX', (cap.minutes + 1) * 60)
  -- After the session, which the ticket gets again meanwhile.
  if bit then
    redis.pcall('SETBIT', key.claimed, bit, 1)
    redis.pcall('EXPIRE', key.claimed, live.lifetime())
  end
  -- From now on the ticket is not good for another number.
  memory.forget()
  return last
end

-- A visitor who goes straight in claims a session at once. One who drew the number before may have a ticket with it, by which it is
-- known to be claimed: the visitor gets that ticket now, and goes in by it.
local function straight(place, is_repeated)
  if not (is_repeated and cap.is_enforced()) then
    return claim(place)
  end
end

return { claimed_before = claimed_before, claim = claim, straight = straight }
