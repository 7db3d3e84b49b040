-- metrics: count what the POP brings and tell all sums; the line is read and does not move.
verbs.metrics = function()
  count()
  -- The line does not move, but it keeps what was counted.
  if not is_new then
    local kept = 'claimed uncounted steady heard_ok heard_late heard_bad heard_at sick_until base_minute base_n base_late '
      .. 'w_size w_knee w_ramp w_changed w_from w_cuts w_at w_n w_late'
      .. (is_capped and ' recount ring_told owed' or '')
    for name in string.gmatch(kept, '%S+') do
      redis.call('HSET', key.line, name, state[name])
    end
    texts.ring = is_capped and written_ring(ring) or nil
    for name, text in pairs(texts) do
      if text and (is_capped or name == 'sickness' or name == 'base_groups') then
        redis.call('HSET', key.line, name, text)
      end
    end
  end
  local sums = redis.pcall('HGETALL', key.counts)
  return figures('counts', sums.err and {} or sums)
end

return verbs[arg.verb]()
