-- panel: the status with what only the panel shows; changes nothing.
-- Keys: those of `status`, and `actions`. No arguments.
-- Answer: that of `status`, and `hour`, `actions`, `minute`, and which operator made each setting.

local call, record, figures = require('call'), require('record'), require('figures')
local key = call.key

return function()
  local told = figures('hour', redis.call('LRANGE', key.hour, 0, -1), 'actions', redis.call('LRANGE', key.actions, 0, -1),
    'minute', record.state.minute)
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
