-- How a visitor goes past the line by an invitation: straight in, or by a number of the front lane.

use('lanes')

-- The counter of its uses. A key of another type is replaced.
function invitation.uses_so_far()
  local known = redis.pcall('GET', key.invite)
  return tonumber(type(known) == 'string' and known or 0) or 0
end
-- Whether it opens this lane now. In an open room there is nothing to go past.
function invitation.opens(lane)
  if invitation.lane ~= lane or mode_now() == 'open' then
    return false
  elseif now >= invitation.ends * 1000 then
    invitation.says = 'expired'
  elseif invitation.uses_so_far() >= tonumber(invitation.uses) then
    invitation.says = 'used'
  else
    return true
  end
end
function invitation.use()
  invitation.says = invitation.lane
  local uses = string.format('%d', invitation.uses_so_far() + 1)
  redis.call('SET', key.invite, uses, 'EX', math.ceil(invitation.ends - now / 1000) + 1)
end

-- What the same ticket was given by it before, when the answer was lost: the last minute of its session, 0 without a cap.
function invitation.given_before()
  local born, epoch, last = string.match(redis.call('GET', key.draw) or '', ' invited (%d+) (%d+) (%d+)')
  last = tonumber(last)
  if tonumber(born) == state.born and tonumber(epoch) == state.epoch and (last == 0 or this_minute <= last) then
    return last
  end
end
function invitation.this_minute()
  return state.invited_at == this_minute and state.invited_now or 0
end
-- Slots that are promised to called visitors are not free.
function invitation.is_free()
  local is_few = invitation.this_minute() < tonumber(invitation.most)
  return mode_now() == 'automatic' and now >= state.quiet and is_few and slots() >= 1
end
-- Whether the visitor goes in, and the last minute of the session where a cap holds. The line releases what is due before this,
-- and neither its budget nor its promises are used.
function invitation.go_in()
  local last = invitation.lane == 'in' and lets_in() and invitation.given_before()
  if last then
    invitation.says = 'in'
    front.keep_memory()
  elseif invitation.opens('in') and invitation.is_free() then
    invitation.use()
    state.invited_now = invitation.this_minute() + 1
    state.invited_at, state.invited = this_minute, state.invited + 1
    last = is_capped and this_minute + cap.minutes or 0
    if is_capped then
      use('sessions').open(last, arg.mark)
    end
    front.remember('invited', string.format(' invited %d %d %d', state.born, state.epoch, last))
  else
    return false
  end
  return true, last > 0 and last or nil
end

-- Whether the visitor draws a number of the front lane: one whose number there was of a line that was lost, as the store remembers,
-- or who brings an invitation that opens it. A ticket draws there again once, and uses nothing more.
function front.may_draw(asked, drawn)
  local mode = mode_now()
  if front.share == 0 or mode ~= 'automatic' and mode ~= 'hold' then
    return false
  elseif drawn and not front.was_ended(drawn) and not (asked == 'front' and front.is_again()) then
    invitation.says = invitation.uses and 'front' or nil
  elseif not invitation.opens('front') then
    return false
  else
    invitation.use()
  end
  return true
end
-- The visitor's number of the front lane, and whether it was drawn before.
function front.arrive(asked)
  if front.says or invitation.lane ~= 'front' and asked ~= 'front' then
    return
  end
  local drawn = front.drawn_before()
  local number = drawn and front.number_of(drawn, 'front_')
  if number then
    front.keep_memory()
    invitation.says = invitation.lane == 'front' and 'front' or invitation.says
  elseif front.may_draw(asked, drawn) then
    if asked == 'front' then
      front.remember('again', ' again')
    end
    number = front.draw()
  end
  front.says = number and 'front' or front.says
  return number, drawn and number == drawn.position
end

-- By an invitation: the visitor's number, 0 for straight in, and the last minute of the session; nothing where it opens no way.
-- A number of the front lane may use what is left of the budget.
function front.go_past(asked)
  local is_in, last = invitation.go_in()
  if is_in then
    front.says = nil
    return 0, last
  end
  local number, is_repeated = front.arrive(asked)
  if number then
    release()
    return number, number <= state.front_cursor and claim_drawn(number, is_repeated) or nil
  end
end

return front
