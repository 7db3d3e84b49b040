-- metrics: count what the POP brings and tell all sums; the line is read and does not move.
verbs.metrics = function()
  count()
  -- The line does not move, but it keeps what was counted.
  if not is_new then
    redis.call('HSET', key.line, 'claimed', state.claimed, 'uncounted', state.uncounted, 'steady', state.steady,
      'heard_ok', state.heard_ok, 'heard_late', state.heard_late, 'heard_bad', state.heard_bad, 'heard_at', state.heard_at,
      'sick_until', state.sick_until)
    if texts.sickness then
      redis.call('HSET', key.line, 'sickness', texts.sickness, 'left', state.left, 'anchor', state.anchor)
    end
    if is_capped then
      redis.call('HSET', key.line, 'ring', written_ring(ring), 'recount', state.recount, 'ring_told', state.ring_told,
        'owed', state.owed)
      if texts.ring_base then
        redis.call('HSET', key.line, 'ring_base', texts.ring_base)
      end
    end
  end
  local sums = redis.pcall('HGETALL', key.counts)
  return figures('counts', sums.err and {} or sums)
end

return verbs[arg.verb]()
