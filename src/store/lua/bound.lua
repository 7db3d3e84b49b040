-- What bounds the line now.
-- Gives `slots`, how many visitors may be released under a cap; `most`, how many under cap and stock; `rule`, why no more visitors are
-- released.

local call, state, live = require('call'), require('record').state, require('live')
local mode, lanes, cap = require('mode'), require('lanes'), require('cap')

local function slots()
  if not cap.is_enforced() then
    return math.huge
  elseif cap.is_recounting() then
    return 0
  end
  return require('sessions').free()
end
local function most()
  return math.min(slots(), live.stock())
end
local function rule()
  local mode_now = mode.now()
  if live.mode == 'hold' or live.mode == 'closed' then
    return 'mode'
  elseif mode_now == 'open' then
    return live.stock() == 0 and 'stock' or 'waiting'
  elseif mode.is_held() then
    return 'origin'
  elseif mode_now ~= 'automatic' then
    return 'event'
  elseif call.now < state.quiet then
    return 'quiet'
  elseif live.stock() == 0 then
    return 'stock'
  elseif lanes.waiting() == 0 then
    return 'waiting'
  elseif cap.is_enforced() and cap.is_recounting() then
    return 'recount'
  end
  return slots() == 0 and 'slots' or 'pace'
end

return { slots = slots, most = most, rule = rule }
