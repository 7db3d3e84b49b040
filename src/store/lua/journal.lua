-- The journal: one line for what moved the room's line, chained by a digest: `PREVIOUS SEQ TIME KIND FROM TO LENGTH FRONT INVITED
-- PERIOD LEFT CREDIT PACE RULE ACTOR WHAT`. `queue/journal.rs` reads it.
-- Invariant: the cursor of a line begins where that of the line before ended. `at` is what the lines of this verb have told, `owed`
-- where the latest line stood when visitors have gone straight in since.
local journal = { lines = {}, written = {}, kept = 10000, step = 100, straight = 10000, page = 32 }
function journal.read(text)
  local seq, head, cursor, front_cursor, invited, told, rule =
    string.match(text or '', '^(%d+) (%x+) (%d+) (%d+) (%d+) (%d+) (%a+)$')
  journal.seq, journal.head = tonumber(seq), head
  journal.told, journal.rule = tonumber(told or 0), rule or 'waiting'
  journal.shown, journal.shown_seq = head, tonumber(seq)
  return seq and { cursor = tonumber(cursor), front_cursor = tonumber(front_cursor), invited = tonumber(invited) }
end
-- The cursor or the length of the main line and of the regions, which count with it.
function journal.sum_of(figure)
  local sum = state[figure]
  for _, region in ipairs(regions.list) do
    if region.line ~= '' then
      sum = sum + state[region.own .. figure]
    end
  end
  return sum
end
-- Where the line stands.
function journal.place()
  return {
    cursor = journal.sum_of('cursor'), length = journal.sum_of('length'), front_cursor = state.front_cursor, front_length = state.front_length,
    invited = state.invited, period = state.period, left = state.left, credit = state.credit, epoch = state.epoch, born = state.born,
    started = state.started, adopted = state.adopted,
  }
end
-- Whether visitors were called since it stood there.
function journal.has_called(from)
  return from.front_cursor ~= state.front_cursor or from.cursor ~= journal.sum_of('cursor')
end
function journal.has_moved(from)
  return journal.has_called(from) or from.invited ~= state.invited
end
-- Whether the data of the line are others since.
function journal.is_other(from)
  return from.epoch ~= state.epoch or from.born ~= state.born or from.started ~= state.started or from.adopted ~= state.adopted
end
journal.at, journal.owed = journal.place(), journal.read(stored.journal)
if journal.owed and not journal.has_moved(journal.owed) then
  journal.owed = nil
end

-- A word of a line: what is long or has other letters stands there as its digest.
function journal.word(text)
  local word = string.gsub(text, ' ', ',')
  if #word > 64 or string.find(word, '[^%w:,~_./+@-]') then
    return 'sha1:' .. string.sub(redis.sha1hex(text), 1, 16)
  end
  return word == '' and '-' or word
end
function journal.who()
  return journal.word(arg.who or '')
end
function journal.digest(line)
  return redis.sha1hex(key.line .. ' ' .. line)
end
-- The first line of all: a store that lost the state of the line may have kept its journal.
function journal.begin()
  local last = redis.pcall('LRANGE', key.journal, 0, 0)[1] or ''
  journal.seq = tonumber(string.match(last, '^%x+ (%d+) ') or 0)
  journal.head = journal.seq > 0 and journal.digest(last) or string.rep('0', 40)
end
function journal.push(kind, from, to, rule, who, what)
  local most = budget() == 0 and 0 or is_steered() and most_window() / 1000 or live.quantity
  local is_raised = arg.absent == 'on' and live.automatic <= 60
  journal.seq = journal.seq + 1
  local line = table.concat({
    journal.head, string.format('%d %d', journal.seq, now), kind, from.cursor, to.cursor, to.length,
    to.front_length > 0 and string.format('%d:%d:%d', from.front_cursor, to.front_cursor, to.front_length) or '-',
    to.invited - from.invited, to.period, to.left, to.credit,
    string.format('%d:%d', live.automatic, math.ceil(is_raised and most * 1.5 or most)), rule, who, what,
  }, ' ')
  journal.head = journal.digest(line)
  table.insert(journal.lines, line)
end
function journal.note(kind, rule, who, what)
  if journal.owed then
    journal.push('straight', journal.owed, journal.at, journal.rule, '-', '-')
    journal.owed = nil
  end
  local stands = journal.place()
  journal.push(kind, journal.at, stands, rule, who, what)
  journal.at = stands
  -- A line that only went past free numbers is the same one.
  if kind == 'begin' or kind == 'loss' or kind == 'restore' and what ~= 'free' then
    state.restored = journal.seq
  end
end
-- A copy of the sign or a ticket may have brought the line back; a line without a journal begins one.
function journal.come_back(who, head)
  if not journal.seq then
    journal.begin()
    journal.note(head and 'loss' or 'begin', '-', who, head or '-')
  elseif journal.has_called(journal.at) or journal.is_other(journal.at) then
    journal.note('restore', '-', who, head or '-')
  end
end
-- What keeps the line where it is, or that the room is open.
function journal.rule_now(rule)
  return mode_now() == 'open' and 'open' or rule
end
-- Visitors who waited were released. Straight-in visitors are told together.
function journal.released(rule)
  if waiting(before) > 0 and journal.has_called(journal.at) then
    journal.note('release', journal.rule_now(rule), '-', '-')
  end
end
function journal.go_straight(from)
  local stands = journal.place()
  if journal.has_moved(journal.at) then
    journal.rule = journal.owed and journal.rule == 'open' and 'open' or journal.rule_now('waiting')
  end
  if now >= journal.told + journal.straight or now < journal.told then
    journal.push('straight', from, stands, journal.rule, '-', '-')
    journal.owed, journal.told = nil, now
  else
    journal.owed = from
  end
  journal.at = stands
end
function journal.close(rule)
  journal.released(rule)
  local from = journal.owed or journal.at
  if journal.has_moved(from) then
    journal.go_straight(from)
  end
  local told = journal.owed or journal.at
  local text = string.format('%d %s %d %d %d %d %s', journal.seq, journal.head, told.cursor, told.front_cursor, told.invited,
    journal.told, journal.rule)
  texts.journal = text ~= stored.journal and text or nil
  if #journal.lines == 0 then
    -- The line is kept by verbs that note nothing, and its journal with it: once an hour.
    if math.floor(this_minute / 60) > math.floor(state.minute / 60) then
      redis.pcall('EXPIRE', key.journal, math.max(lifetime, TTL.hour))
    end
    return
  end
  -- Errors of these commands are ignored: a key that is no longer of its type loses lines, and the log has them.
  local many = redis.pcall('LPUSH', key.journal, unpack(journal.lines))
  if type(many) == 'number' and many >= journal.kept + journal.step then
    redis.pcall('LTRIM', key.journal, 0, journal.kept - 1)
  else
    redis.pcall('EXPIRE', key.journal, math.max(lifetime, TTL.hour))
  end
  journal.shown, journal.shown_seq, journal.written = journal.head, journal.seq, journal.lines
end

-- The lines from a number on, at most `many`, the latest first: the oldest that there are where the list no longer has that one.
function journal.lines_from(last, first, many)
  local lines = {}
  if first <= last then
    lines = redis.call('LRANGE', key.journal, last - math.min(last, first + many - 1), last - first)
  end
  return #lines == 0 and first <= last and redis.call('LRANGE', key.journal, -many, -1) or lines
end

-- The log of a POP is a second copy. `sign_logged`: the number and the head of the line up to which that copy has no gap; an answer
-- that the POP did not get has left one. The next call is told what is missing, the oldest lines first, with what this verb wrote;
-- where nothing is known of the copy, the latest lines. A draw is told its own lines alone, since each of a crowd would be told the same.
function journal.from(back)
  local list, lines = back > 0 and redis.pcall('LRANGE', key.journal, math.max(back - journal.page, 0), back - 1) or {}, {}
  for i = #list, 1, -1 do
    table.insert(lines, list[i])
  end
  return lines
end
function journal.lie_behind(lines, head)
  return string.sub(lines[1] or journal.shown, 1, 16) == head
end
function journal.tell(told)
  local number, head = string.match(arg.sign_logged or '0 0000000000000000', '^(%d+) (%x+)$')
  local missing, lines = journal.shown_seq - number, journal.written
  local is_next = missing == #lines and journal.lie_behind(lines, head)
  if not is_next and arg.verb ~= 'join' and arg.verb ~= 'metrics' then
    lines = arg.sign_logged and journal.from(missing) or {}
    lines = journal.lie_behind(lines, head) and lines or journal.from(journal.page)
    is_next = #lines > 0
    lines = is_next and lines or journal.written
  end
  local last, logged = lines[#lines], arg.sign_logged
  if last then
    local digest = journal.digest(last)
    logged = is_next and string.match(last, '^%x+ (%d+) ') .. ' ' .. string.sub(digest, 1, 16) or logged
    table.insert(told, 'noted')
    table.insert(told, table.concat(lines, '\n') .. '\n' .. digest)
  end
  if logged then
    table.insert(told, 'logged')
    table.insert(told, logged)
  end
end
