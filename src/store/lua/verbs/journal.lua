-- journal: a page of its lines, and what it has reached; changes nothing.
-- Keys: `line`, `journal`. Arguments: `first`, the number of a line, and `many`.
-- Answer: `last` and `head`, the number and the digest of the latest line, and `lines` from the first on, the latest first: the oldest
-- that there are where the list no longer has that one.

local call, stored = require('call'), require('record').stored

local function lines_from(last, first, many)
  local journal, lines = call.key.journal, {}
  if first <= last then
    lines = redis.call('LRANGE', journal, last - math.min(last, first + many - 1), last - first)
  end
  return #lines == 0 and first <= last and redis.call('LRANGE', journal, -many, -1) or lines
end

return function()
  local last, head = string.match(stored.journal or '', '^(%d+) (%x+) ')
  last = tonumber(last) or 0
  return { 'last', last, 'head', head or '', 'lines', lines_from(last, tonumber(call.arg.first), tonumber(call.arg.many)) }
end
