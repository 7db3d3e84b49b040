-- Every answer is a flat list of names and values: `number`, `board` (see board.lua), `drawn` and `admitted`, all draws and all
-- admissions, and what this call has brought about.
-- A function of `number`, the visitor's position or what the verb counted, and of more names and values; returns the list.

local record, board = require('record'), require('board')
local lanes, cap, journal = require('lanes'), require('cap'), require('journal')
local state, texts = record.state, record.texts

return function(number, ...)
  local told = { 'number', number, 'board', board(), 'drawn', state.drawn, 'admitted', state.admitted }
  if journal.shown then
    journal.tell(told)
  end
  local more = {
    'recounts', cap.is_capped and cap.recounts_from_now() or nil, 'sickness', texts.sickness,
    'release', texts.release and lanes.before.waiting > 0 and texts.release or nil, ...,
  }
  -- A name without a value is not told.
  for i = 1, 6 + select('#', ...), 2 do
    if more[i + 1] ~= nil then
      told[#told + 1] = more[i]
      told[#told + 1] = more[i + 1]
    end
  end
  return told
end
