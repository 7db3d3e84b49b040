-- The front lane: numbers that invitations open, with a cursor and a length of their own.
-- Invariant: within one birth of the line no number of the lane is given twice, unless a loss hid more of them than are left free.

-- The share of what is released that the lane has, in percent. `says`: the lane of the number in the answer, none for the main line.
-- `called`: from which lanes this verb has called visitors.
local front = { share = tonumber(arg.front_share) or 0, says = nil, called = {} }
-- The regions: see regions.lua. `configured`: the names that the room has now.
local regions = { list = {}, by_name = {}, configured = {} }

-- With what the fields of a lane begin, by the name that tickets and answers give it; the main line has none.
function regions.lane(name)
  if name == 'front' then
    return 'front_'
  end
  return name and use('regions').add(name).line or ''
end

-- The number of a ticket in its lane: nothing when its line or its epoch has ended, false until that is known.
function front.number_of(ticket, lane)
  if ticket.born == state.born then
    return ticket.epoch == state.epoch and ticket.position <= state[lane .. 'length'] and ticket.position or nil
  elseif is_young() then
    return false
  end
end
-- What a ticket was given is remembered together: `number invited … front … region … paid again`, and - where it drew no number of
-- the main line.
-- `again`: it drew once more since the line of its number was lost, which a ticket does once.
-- `paid`: a calculation bought its number (see network.lua), and buys no other; `pays`: that this call draws it.
function front.memory()
  front.known = front.known or redis.call('GET', key.draw) or ''
  return front.known
end
function front.is_again()
  return string.find(front.memory(), ' again$')
end
function front.is_paid()
  return string.find(front.memory(), ' paid', 1, true)
end
-- A number of the front lane is remembered for longer: it is what shows that its ticket may draw there.
function front.memory_life(known)
  if string.find(known, ' again$') or string.find(known, ' front ', 1, true) then
    return TTL.again
  end
  return string.find(known, ' paid', 1, true) and TTL.paid or TTL.draw
end
function front.keep_memory()
  redis.call('EXPIRE', key.draw, front.memory_life(front.memory()))
end
function front.write_memory(known)
  front.known = known
  redis.call('SET', key.draw, known, 'EX', front.memory_life(known))
end
function front.remember(kind, told)
  local known = front.memory()
  local words = known == '' and {
    number = '-', invited = '', front = '', again = '', region = '', paid = front.pays and ' paid' or '',
  } or {
    number = string.match(known, '^%d+:%d+:%d+') or '-', invited = string.match(known, ' invited %d+ %d+ %d+') or '',
    front = string.match(known, ' front %d+:%d+:%d+') or '', again = string.match(known, ' again$') or '',
    region = string.match(known, ' region %S+ %d+:%d+:%d+') or '', paid = (front.pays or string.find(known, ' paid', 1, true)) and ' paid' or '',
  }
  words[kind] = told
  front.write_memory(words.number .. words.invited .. words.front .. words.region .. words.paid .. words.again)
end
-- A ticket that claimed a session is not good for another number.
function front.forget_draw()
  if front.is_again() or front.is_paid() then
    front.write_memory('-' .. (front.is_paid() and ' paid' or '') .. (front.is_again() and ' again' or ''))
  else
    front.known = ''
    redis.call('DEL', key.draw)
  end
end
