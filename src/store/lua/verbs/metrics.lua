-- metrics: count what the POP brings and tell all sums; the line is read and does not move.
use('counts').count()
-- The line does not move, but it keeps what was counted.
if not is_new then
  local kept = 'claimed uncounted steady heard_ok heard_late heard_bad heard_at entry_ok entry_late entry_bad sick_until base_minute base_n base_late '
    .. 'w_size w_knee w_ramp w_changed w_from w_cuts w_at w_n w_late'
    .. (is_capped and ' recount ring_told book book_last book_other' or '')
  local written = {}
  for name in string.gmatch(kept, '%S+') do
    table.insert(written, name)
    table.insert(written, state[name])
  end
  local names = { 'sickness', 'base_groups' }
  if is_capped then
    use('sessions').keep()
    names = { 'sickness', 'base_groups', 'ring', 'ring_base' }
  end
  for _, name in ipairs(names) do
    if texts[name] then
      table.insert(written, name)
      table.insert(written, texts[name])
    end
  end
  redis.call('HSET', key.line, unpack(written))
end
local sums = redis.pcall('HGETALL', key.counts)
return use('figures')('counts', sums.err and {} or sums)
