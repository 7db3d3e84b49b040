-- What a ticket was given is remembered together, so that a visitor whose answer was lost gets the same once more:
-- `number invited … group:NAME … region:NAME … paid again`, and - where it drew no number of the main line.
-- `again`: it drew once more since the line of its number was lost, which a ticket does once.
-- `paid`: a calculation bought its number (see network.lua), and buys no other.
-- Gives `read`, `is_again`, `is_paid`, `keep`, `remember`, `forget`.

local call = require('call')
local key, TTL = call.key, call.TTL

local known
local function read()
  known = known or redis.call('GET', key.draw) or ''
  return known
end
local function is_again()
  return string.find(read(), ' again$')
end
local function is_paid()
  return string.find(read(), ' paid', 1, true)
end
-- A number of a group is remembered for longer: it is what shows that its ticket may draw there.
local function life_of(text)
  if string.find(text, ' again$') or string.find(text, ' group:', 1, true) then
    return TTL.again
  end
  return string.find(text, ' paid', 1, true) and TTL.paid or TTL.draw
end
local function keep()
  redis.call('EXPIRE', key.draw, life_of(read()))
end
local function write(text)
  known = text
  redis.call('SET', key.draw, text, 'EX', life_of(text))
end
-- `kind`: which of the words is set. `pays`: a calculation buys the number that is remembered.
local function remember(kind, words_of_kind, pays)
  local text = read()
  local words = text == '' and {
    number = '-', invited = '', group = '', again = '', region = '', paid = pays and ' paid' or '',
  } or {
    number = string.match(text, '^%d+:%d+') or '-', invited = string.match(text, ' invited %d+ %d+') or '',
    group = string.match(text, ' group:%S+ %d+:%d+') or '', again = string.match(text, ' again$') or '',
    region = string.match(text, ' region:%S+ %d+:%d+') or '', paid = (pays or string.find(text, ' paid', 1, true)) and ' paid' or '',
  }
  words[kind] = words_of_kind
  write(words.number .. words.invited .. words.group .. words.region .. words.paid .. words.again)
end
-- A ticket that claimed a session is not good for another number.
local function forget()
  if is_again() or is_paid() then
    write('-' .. (is_paid() and ' paid' or '') .. (is_again() and ' again' or ''))
  else
    known = ''
    redis.call('DEL', key.draw)
  end
end

return { read = read, is_again = is_again, is_paid = is_paid, keep = keep, remember = remember, forget = forget }
