-- How a visitor goes past the line by an invitation: straight in, or by a number of a group.
-- Gives `go_past`.

local call, state = require('call'), require('record').state
local events, mode, rolls, lanes, cap, bound = require('events'), require('mode'), require('rolls'), require('lanes'), require('cap'), require('bound')
local memory, lane_draw = require('memory'), require('lane_draw')
local arg, key, now, this_minute = call.arg, call.key, call.now, call.minute

-- How often it may be used, when it ends, how many visitors of all may go in by one in a minute, and the group that it opens, or
-- - where it opens the way straight in. `of.invited` says what became of it: `kept` while it was not used.
local most_uses, ends, most, way = string.match(arg.invite or '', '^(%d+) (%d+) (%d+) (%S+)$')

-- The counter of its uses. A key of another type is replaced.
local function uses_so_far()
  local known = redis.pcall('GET', key.invite)
  return tonumber(type(known) == 'string' and known or 0) or 0
end
-- Whether it opens this now. In an open room there is nothing to go past.
local function opens(this, of)
  if way ~= this or mode.now() == 'open' then
    return false
  elseif now >= ends * 1000 then
    of.invited = 'expired'
  elseif uses_so_far() >= tonumber(most_uses) then
    of.invited = 'used'
  else
    return true
  end
end
local function use(of)
  of.invited = way == '-' and 'in' or 'group'
  redis.call('SET', key.invite, string.format('%d', uses_so_far() + 1), 'EX', math.ceil(ends - now / 1000) + 1)
end

-- What the same ticket was given by it before, when the answer was lost: the last minute of its session, 0 without a cap.
local function given_before()
  local born, last = string.match(memory.read(), ' invited (%d+) (%d+)')
  last = tonumber(last)
  if born and not rolls.has_ended_visits(born) and (last == 0 or this_minute <= last) then
    return last
  end
end
local function invited_this_minute()
  return state.invited_at == this_minute and state.invited_now or 0
end
-- Slots that are promised to called visitors are not free.
local function is_free()
  local is_few = invited_this_minute() < tonumber(most)
  return mode.now() == 'automatic' and now >= state.quiet and is_few and bound.slots() >= 1
end
-- Whether the visitor goes in, and the last minute of the session where a cap holds. The line releases what is due before this,
-- and neither its budget nor its promises are used.
local function go_in(of)
  local last = way == '-' and mode.lets_in() and given_before()
  if last then
    of.invited = 'in'
    memory.keep()
  elseif opens('-', of) and is_free() then
    use(of)
    state.invited_now = invited_this_minute() + 1
    state.invited_at, state.invited = this_minute, state.invited + 1
    last = cap.is_capped and this_minute + cap.minutes or 0
    if cap.is_capped then
      require('sessions').open(last, arg.mark)
    end
    memory.remember('invited', string.format(' invited %d %d', state.own, last))
  else
    return false
  end
  return true, last > 0 and last or nil
end

-- Whether the visitor draws a number of this group: one whose number there was of a line that was lost, as the store remembers, or who
-- brings an invitation that opens it. A ticket draws there again once, and uses nothing more.
local function may_draw(of, group, drawn)
  local now_is = mode.now()
  if now_is ~= 'automatic' and now_is ~= 'hold' then
    return false
  elseif drawn and not rolls.has_ended(drawn.born) and not (of.asked == group.name and memory.is_again()) then
    of.invited = way == group.name and 'group' or of.invited
  elseif not opens(group.name, of) then
    return false
  else
    use(of)
  end
  return true
end
-- The visitor's place in the lane of a group of this rank or a higher one, and whether it was drawn before. A visitor who waits in one
-- goes only to a higher one.
local function arrive_at(rank, of)
  if of.rank and of.rank <= rank then
    return
  end
  local drawn, place = lane_draw.before('group')
  local is_as_high = drawn and lanes.rank(drawn.lane) <= rank
  local group = lanes.groups[rank]
  if place and is_as_high then
    memory.keep()
    of.invited = way == drawn.lane and 'group' or of.invited
    return place, true
  elseif group and may_draw(of, group, is_as_high and drawn) then
    if of.asked == group.name then
      memory.remember('again', ' again')
    end
    return lane_draw.draw('group', group), false
  end
end
-- The same of the invitation's group, where that is the higher one; where it does not open, of the group in which the number is or was.
local function arrive_in_group(of)
  local invited, asked = lanes.rank(way), lanes.rank(of.asked)
  local place, is_repeated
  if invited < asked then
    place, is_repeated = arrive_at(invited, of)
  end
  if place then
    return place, is_repeated
  end
  return arrive_at(asked, of)
end

-- Whether it opens a way; the visitor's place, nothing for straight in, and the last minute of the session. A number of a
-- group may use what is left of the budget.
local function go_past(of)
  local is_in, last = go_in(of)
  if is_in then
    return true, nil, last
  end
  local place, is_repeated = arrive_in_group(of)
  if place then
    require('release').release()
    local is_called = lanes.is_called(place) and not events.is_redrawn(place)
    return true, place, is_called and cap.is_capped and require('claim').straight(place, is_repeated) or nil
  end
end

return { go_past = go_past }
