-- status: read, change nothing. With ARGV[5] = 'board' also what only the panel shows.
-- KEYS[3] what operators did (a list).
if ARGV[5] ~= 'board' then
  return { answer(0) }
end
local told = redis.call('HMGET', line, 'mode_at', 'mode_by', 'pace_at', 'pace_by', 'message_at', 'message_by',
  'minute')
return { answer(0), told, redis.call('LRANGE', hour, 0, -1), redis.call('LRANGE', KEYS[3], 0, -1) }
