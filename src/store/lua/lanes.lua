-- The lanes of the line: the main line, the front lane, which invitations open, and the regions. Each has a cursor and a length of its
-- own, and is known by what the names of its fields begin with: '', `front_`, or the name of a region and a space.
-- Invariant: within one birth of the line no number of a lane is given twice, unless a loss hid more of them than are left free.
-- Gives `list`, the lanes; `regions`, the regions where there are some, in the order of their names (see regions.lua); `front_share`,
-- the share of what is released that the front lane has, in percent; `before`, the numbers before the verb; `has_regions`,
-- `waiting_in`, `waiting`, `remember`, `recent`, `draw`.

local call, state = require('call'), require('record').state
local now = call.now

local lanes = { list = { '', 'front_' }, regions = {}, before = {}, front_share = tonumber(call.arg.front_share) or 0 }
local list, before = lanes.list, lanes.before

function lanes.has_regions()
  return lanes.regions[1] ~= nil
end
-- How many visitors wait in this lane.
function lanes.waiting_in(lane)
  return state[lane .. 'length'] - state[lane .. 'cursor']
end
-- How many wait in all lanes, as the numbers are now or were before the verb.
function lanes.waiting(at)
  local sum = at.length - at.cursor + at.front_length - at.front_cursor
  for i = 3, #list do
    sum = sum + (at[list[i] .. 'length'] or 0) - (at[list[i] .. 'cursor'] or 0)
  end
  return sum
end
-- Taking a copy happens before a verb; this keeps what the verb itself changes apart from that.
function lanes.remember()
  before.drawn, before.admitted, before.claimed = state.drawn, state.admitted, state.claimed
  for i = 1, #list do
    local cursor, length = list[i] .. 'cursor', list[i] .. 'length'
    before[cursor], before[length] = state[cursor], state[length]
  end
end

-- How many numbers were drawn in four seconds, at most: a copy may be that old when the data are lost.
local SPAN = 4000
function lanes.recent(lane)
  local ago, current = math.floor(now / SPAN) - state[lane .. 'window'], state[lane .. 'length'] - state[lane .. 'window_from']
  if ago == 0 then
    return current + state[lane .. 'window_last']
  end
  return ago == 1 and current or 0
end
-- The next number of this lane.
function lanes.draw(lane)
  local window = math.floor(now / SPAN)
  local ago, length = window - state[lane .. 'window'], state[lane .. 'length']
  if ago ~= 0 then
    state[lane .. 'window_last'] = ago == 1 and length - state[lane .. 'window_from'] or 0
    state[lane .. 'window'], state[lane .. 'window_from'] = window, length
  end
  state[lane .. 'length'], state.drawn = length + 1, state.drawn + 1
  return length + 1
end

return lanes
