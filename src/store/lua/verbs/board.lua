-- board: the status with what only the panel shows.
local told = use('figures')('hour', redis.call('LRANGE', key.hour, 0, -1), 'actions', redis.call('LRANGE', key.actions, 0, -1),
  'minute', state.minute)
local names = { 'mode_by', 'pace_by', 'message_by', 'cap_by', 'event_by' }
for i, value in ipairs(redis.call('HMGET', key.line, unpack(names))) do
  -- Unless a later setting has just come, whose setter is not known.
  if value and texts[names[i]] ~= false then
    table.insert(told, names[i])
    table.insert(told, value)
  end
end
return told
