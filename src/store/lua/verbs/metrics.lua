-- metrics: counts what the POP brings and tells all sums; the line is read and does not move.
-- Keys: `line`, `outbox`, `counts`, `inside0` and `inside1` with a cap, which are written; `journal`, `hour`.
-- Arguments: `number1`, `counts1` and so on: what was counted. Answer: that of `status`, and `counts`.

local call, record, cap = require('call'), require('record'), require('cap')
local figures, counts = require('figures'), require('counts')
local key, state, texts = call.key, record.state, record.texts

-- The line does not move, but it keeps what was counted.
local function keep()
  local kept = 'claimed uncounted steady heard_ok heard_late heard_bad heard_at entry_ok entry_late entry_bad sick_until base_minute base_n base_late '
    .. 'w_size w_knee w_ramp w_changed w_from w_cuts w_open w_n w_late'
    .. (cap.is_capped and ' recount ring_told book book_last book_other' or '')
  local written = {}
  for name in string.gmatch(kept, '%S+') do
    if not record.moves[name] then
      table.insert(written, name)
      table.insert(written, state[name])
    end
  end
  local names = { 'sickness', 'base_groups' }
  if cap.is_capped then
    require('sessions').keep()
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

return function()
  counts.count()
  if not record.is_new then
    keep()
  end
  local sums = redis.pcall('HGETALL', key.counts)
  return figures('counts', sums.err and {} or sums)
end
