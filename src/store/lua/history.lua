-- The last hour, minute by minute, and what a verb leaves.

-- The first verb of a minute writes down how the last minute with a verb ended: how many waited, and the sums so far.
local function remember_minute()
  if this_minute <= state.minute then
    return
  end
  if state.minute > 0 then
    local sample = { state.minute, waiting(before), before.drawn, before.admitted, before.claimed }
    redis.call('LPUSH', key.hour, table.concat(sample, ' '))
    redis.call('LTRIM', key.hour, 0, 60)
    redis.call('EXPIRE', key.hour, TTL.hour)
    use('turnout').measure()
  end
  state.minute = this_minute
end

local function save()
  keep_sick()
  front.measure_all()
  if is_capped or made.sessions then
    use('sessions').write()
  end
  note_release()
  turns.write()
  journal.close(bound())
  watch_turnout()
  remember_minute()
  if waiting(before) == 0 and waiting(state) > 0 then
    state.anchor = math.max(now, is_held() and state.anchor or 0)
  end
  if regions.list[1] then
    regions.write()
  end
  write_state()
end
