-- status: read, change nothing.
verbs.status = function()
  return figures()
end

-- journal: a page of its lines, and what it has reached; change nothing.
verbs.journal = function()
  local seq, head = string.match(set[21] or '', '^(%d+) (%x+) ')
  seq = tonumber(seq) or 0
  return { 'last', seq, 'head', head or '', 'lines', journal.lines_from(seq, tonumber(arg.first), tonumber(arg.many)) }
end

-- board: the same with what only the panel shows.
verbs.board = function()
  local told = figures('hour', redis.call('LRANGE', key.hour, 0, -1), 'actions', redis.call('LRANGE', key.actions, 0, -1),
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
end
