-- metrics: count what comes along and tell all that was counted; the line is read and does not move.
-- KEYS[3] what was counted, KEYS[4] and on the tills. ARGV[5] and on what they send.
count(3, 5)
return { answer(0), redis.call('HGETALL', KEYS[3]) }
