-- trace: the line that a head is the digest of, and the one that called a number; change nothing.
local is_front = arg.lane == 'front'
local asked = { born = tonumber(arg.trace_born), epoch = tonumber(arg.trace_epoch), position = tonumber(arg.trace_position) }
-- Of regions the journal has the sum alone, which says of no number whether it was called.
local is_told = arg.trace_position and (is_front or not arg.lane and #regions.list == 0)
local number = is_told and (is_front and front.number_of(asked, 'front_') or not is_front and number_of(asked)) or nil
local is_called = number and number <= state[is_front and 'front_cursor' or 'cursor']
local digest, head, called = string.match(stored.journal or '', '^%d+ (%x+) '), nil, nil
for _, line in ipairs(redis.call('LRANGE', key.journal, 0, -1)) do
  head = head or arg.trace_head and digest and string.sub(digest, 1, 16) == arg.trace_head and line or nil
  local kind, from, to, lane = string.match(line, '^%x+ %d+ %d+ (%a+) (%d+) (%d+) %d+ (%S+) ')
  if is_front and lane then
    from, to = string.match(lane, '^(%d+):(%d+):')
  end
  -- Before that the numbers were those of other data, or of other visitors. A line that only went past free numbers is the same one.
  local is_other = kind == 'begin' or kind == 'loss' or kind == 'restore' and not string.find(line, ' free$')
  is_called = is_called and not is_other
  local is_call = is_called and from and kind ~= 'end' and kind ~= 'event' and tonumber(from) < number
  called = called or is_call and number <= tonumber(to) and line or nil
  digest = string.match(line, '^%x+')
end
return answer(0, 'traced', head, 'called', called, 'traced_sum', arg.trace_position and not is_told and 'yes' or nil)
