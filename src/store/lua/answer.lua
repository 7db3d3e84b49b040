-- Every answer is a flat list of names and values: `number`, `board` (see board.lua), `drawn` and `admitted`, all draws and all
-- admissions, and what this call has brought about.
-- Gives `answer`, of `number`, what the verb counted, and of more names and values; and `visitor`, of a visit and its place, whose number is
-- the visitor's position: both return the list.

local call, record, board, health = require('call'), require('record'), require('board'), require('health')
local lanes, cap, journal = require('lanes'), require('cap'), require('journal')
local state, texts = record.state, record.texts

local function answer(number, ...)
  local told = { 'number', number, 'board', board(), 'drawn', state.drawn, 'admitted', state.admitted }
  if journal.shown then
    journal.tell(told)
  end
  local more = {
    'recounts', cap.is_capped and cap.recounts_from_now() or nil, 'sickness', texts.sickness,
    'sick_until', call.arg.sick_until and health.is_sick() and state.sick_until or nil,
    'release', texts.release and lanes.before.waiting > 0 and texts.release or nil, ...,
  }
  -- A name without a value is not told.
  for i = 1, 8 + select('#', ...), 2 do
    if more[i + 1] ~= nil then
      told[#told + 1] = more[i]
      told[#told + 1] = more[i + 1]
    end
  end
  return told
end

-- `last`: the last minute of a session.
local function visitor(visit, place, last, ...)
  local lane = place and place.of.lane ~= 'main' and place.of.lane or nil
  return answer(place and lanes.position(place) or 0, 'claim', last, 'above', visit.above, 'price', visit.price, 'invited', visit.invited,
    'lane', lane, ...)
end

return { answer = answer, visitor = visitor }
