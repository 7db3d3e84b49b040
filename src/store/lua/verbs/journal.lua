-- journal: a page of its lines, and what it has reached; change nothing.
local seq, head = string.match(stored.journal or '', '^(%d+) (%x+) ')
seq = tonumber(seq) or 0
return { 'last', seq, 'head', head or '', 'lines', journal.lines_from(seq, tonumber(arg.first), tonumber(arg.many)) }
