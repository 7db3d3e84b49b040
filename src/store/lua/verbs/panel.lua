-- panel: counts what the POP brings, if anything, as `metrics` does; then the status with what only the panel shows.
-- Keys and arguments: those of `status` and `metrics`, and `actions`, how many changes are told at most.
-- Answer: that of `status`, and `actions`, and which operator made each setting.

local call, record = require('call'), require('record')
local figures, history = require('figures'), require('history')
local key, counts = call.key, require('counts')

return function()
  counts.take()
  local told = figures(history.told())
  for _, word in ipairs({ 'actions', redis.call('LRANGE', key.actions, 0, (tonumber(call.arg.actions) or 50) - 1) }) do
    table.insert(told, word)
  end
  local names = { 'mode_by', 'pace_by', 'message_by', 'cap_by', 'event_by', 'stock_by' }
  for i, value in ipairs(redis.call('HMGET', key.line, unpack(names))) do
    -- Unless a later setting has just come, whose setter is not known.
    if value and record.texts[names[i]] ~= false then
      table.insert(told, names[i])
      table.insert(told, value)
    end
  end
  return told
end
