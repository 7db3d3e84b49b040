-- The journal: one line for what moved the room's line, chained by a digest: `PREVIOUS SEQ TIME KIND FROM TO LENGTH GROUPS INVITED
-- PERIOD LEFT CREDIT PACE RULE ACTOR WHAT`. `queue/journal.rs` reads it.
-- Invariant: the cursor of a line begins where that of the line before ended. `at` is what the lines of this verb have told, `owed`
-- where the latest line stood when visitors have gone straight in since.
-- Gives `seq` and `head`, the number and the digest of the latest line; `shown` and `shown_seq`, what of them the answer says; `open`,
-- with which a call begins, and `close`, with which it ends; `come_back`, `note`, `released`, `word`, `who`, `tell`.

local call, record = require('call'), require('record')
local live, health, mode, lanes = require('live'), require('health'), require('mode'), require('lanes')
local arg, key, now = call.arg, call.key, call.now
local state = record.state
-- So many lines are kept, and so many more before the oldest go; in so many milliseconds visitors who go straight in are told once; so
-- many lines are told at once.
local KEPT, STEP, STRAIGHT, PAGE = 10000, 100, 10000, 32

local journal = { lines = {}, written = {} }
local function read(text)
  local seq, head, cursor, in_groups, invited, told, rule =
    string.match(text or '', '^(%d+) (%x+) (%d+) (%S+) (%d+) (%d+) (%a+)$')
  journal.seq, journal.head = tonumber(seq), head
  journal.told, journal.rule = tonumber(told or 0), rule or 'waiting'
  journal.shown, journal.shown_seq = head, tonumber(seq)
  local groups = {}
  for name, served in string.gmatch(in_groups or '', '([^=,]+)=(%d+)') do
    groups[name] = tonumber(served)
  end
  return seq and { cursor = tonumber(cursor), groups = groups, invited = tonumber(invited) }
end
-- How many numbers were called or drawn: in the main line and the regions, which count with it, and in each group.
local function sums_of(figure)
  local sum, groups, list = 0, {}, lanes.list
  for i = 1, #list do
    local lane = list[i]
    local of_lane = lanes.sum(lane, figure)
    if lane.apart == 0 then
      sum = sum + of_lane
    elseif of_lane > 0 then
      groups[lane.name] = of_lane
    end
  end
  return sum, groups
end
-- Where the line stands.
local function place()
  local cursor, groups = sums_of('served')
  local length, lengths = sums_of('drawn')
  return {
    cursor = cursor, length = length, groups = groups, lengths = lengths, invited = state.invited, period = state.period, left = state.left,
    credit = state.credit, epoch = state.epoch, own = state.own, merged = state.merged,
  }
end
-- Whether visitors were called since it stood there.
local function has_called(from)
  local cursor, groups = sums_of('served')
  for _, lane in ipairs(lanes.list) do
    if from.groups[lane.name] ~= groups[lane.name] then
      return true
    end
  end
  return from.cursor ~= cursor
end
local function has_moved(from)
  return has_called(from) or from.invited ~= state.invited
end
-- Whether the data of the line are others since.
local function is_other(from)
  return from.epoch ~= state.epoch or from.own ~= state.own or from.merged ~= state.merged
end

-- Before a copy or a verb moves the line.
function journal.open()
  journal.at, journal.owed = place(), read(record.stored.journal)
  if journal.owed and not has_moved(journal.owed) then
    journal.owed = nil
  end
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
-- Under the name of the room alone: its key has another room's name too where both share a pace.
local function digest_of(line)
  return redis.sha1hex((arg.room and 'queue:{' .. arg.room .. '}' or key.line) .. ' ' .. line)
end
-- The first line of all: a store that lost the state of the line may have kept its journal.
local function begin()
  local last = redis.pcall('LRANGE', key.journal, 0, 0)[1] or ''
  journal.seq = tonumber(string.match(last, '^%x+ (%d+) ') or 0)
  journal.head = journal.seq > 0 and digest_of(last) or string.rep('0', 40)
end
-- What the lines say of each group that has numbers, or had some: `name:from:to:length`, with commas between them.
local function in_groups(from, to)
  local words = {}
  for _, lane in ipairs(lanes.list) do
    local name = lane.name
    local before, length = from.groups[name] or 0, to.lengths[name] or 0
    if before > 0 or length > 0 then
      table.insert(words, string.format('%s:%d:%d:%d', name, before, to.groups[name] or 0, length))
    end
  end
  return words[1] and table.concat(words, ',') or '-'
end
local function push(kind, from, to, rule, who, what)
  local most = live.budget() == 0 and 0 or health.is_steered() and health.most_window() / 1000 or live.quantity
  local is_raised = arg.absent == 'on' and live.automatic <= 60
  journal.seq = journal.seq + 1
  local line = table.concat({
    journal.head, string.format('%d %d', journal.seq, now), kind, from.cursor, to.cursor, to.length,
    in_groups(from, to), to.invited - from.invited, to.period, to.left, to.credit,
    string.format('%d:%d', live.automatic, math.ceil(is_raised and most * 1.5 or most)), rule, who, what,
  }, ' ')
  journal.head = digest_of(line)
  table.insert(journal.lines, line)
end
function journal.note(kind, rule, who, what)
  if journal.owed then
    push('straight', journal.owed, journal.at, journal.rule, '-', '-')
    journal.owed = nil
  end
  local stands = place()
  push(kind, journal.at, stands, rule, who, what)
  journal.at = stands
  if kind == 'begin' or kind == 'loss' or kind == 'restore' then
    state.restored = journal.seq
  end
end
-- A copy of the board or a ticket may have brought the line back; a line without a journal begins one.
function journal.come_back(who, head)
  if not journal.seq then
    begin()
    journal.note(head and 'loss' or 'begin', '-', who, head or '-')
  elseif has_called(journal.at) or is_other(journal.at) then
    journal.note('restore', '-', who, head or '-')
  end
end
-- What keeps the line where it is, or that the room is open.
local function rule_now(rule)
  return mode.now() == 'open' and 'open' or rule
end
-- Visitors who waited were released. Straight-in visitors are told together.
function journal.released(rule)
  if lanes.before.waiting > 0 and has_called(journal.at) then
    journal.note('release', rule_now(rule), '-', '-')
  end
end
local function go_straight(from)
  local stands = place()
  if has_moved(journal.at) then
    journal.rule = journal.owed and journal.rule == 'open' and 'open' or rule_now('waiting')
  end
  if now >= journal.told + STRAIGHT or now < journal.told then
    push('straight', from, stands, journal.rule, '-', '-')
    journal.owed, journal.told = nil, now
  else
    journal.owed = from
  end
  journal.at = stands
end
function journal.close(rule)
  journal.released(rule)
  local from = journal.owed or journal.at
  if has_moved(from) then
    go_straight(from)
  end
  local told = journal.owed or journal.at
  local groups = {}
  for _, lane in ipairs(lanes.list) do
    local served = told.groups[lane.name]
    table.insert(groups, served and string.format('%s=%d', lane.name, served))
  end
  local text = string.format('%d %s %d %s %d %d %s', journal.seq, journal.head, told.cursor, groups[1] and table.concat(groups, ',') or '-',
    told.invited, journal.told, journal.rule)
  record.texts.journal = text ~= record.stored.journal and text or nil
  if #journal.lines == 0 then
    -- The line is kept by verbs that note nothing, and its journal with it: once an hour.
    if math.floor(call.minute / 60) > math.floor(state.minute / 60) then
      redis.pcall('EXPIRE', key.journal, math.max(live.lifetime(), call.TTL.hour))
    end
    return
  end
  -- Errors of these commands are ignored: a key that is no longer of its type loses lines, and the log has them.
  local many = redis.pcall('LPUSH', key.journal, unpack(journal.lines))
  if type(many) == 'number' and many >= KEPT + STEP then
    redis.pcall('LTRIM', key.journal, 0, KEPT - 1)
  else
    redis.pcall('EXPIRE', key.journal, math.max(live.lifetime(), call.TTL.hour))
  end
  journal.shown, journal.shown_seq, journal.written = journal.head, journal.seq, journal.lines
end

-- The log of a POP is a second copy. `logged`: the number and the head of the line up to which that copy has no gap; an answer
-- that the POP did not get has left one. The next call is told what is missing, the oldest lines first, with what this verb wrote;
-- where nothing is known of the copy, the latest lines. A draw is told its own lines alone, since each of a crowd would be told the same.
local function lines_from(back)
  local list, lines = back > 0 and redis.pcall('LRANGE', key.journal, math.max(back - PAGE, 0), back - 1) or {}, {}
  for i = #list, 1, -1 do
    table.insert(lines, list[i])
  end
  return lines
end
local function lie_behind(lines, head)
  return string.sub(lines[1] or journal.shown, 1, 16) == head
end
function journal.tell(told)
  local number, head = string.match(arg.logged or '0 0000000000000000', '^(%d+) (%x+)$')
  local missing, lines = journal.shown_seq - number, journal.written
  local is_next = missing == #lines and lie_behind(lines, head)
  if not is_next and arg.verb ~= 'join' and arg.verb ~= 'metrics' then
    lines = arg.logged and lines_from(missing) or {}
    lines = lie_behind(lines, head) and lines or lines_from(PAGE)
    is_next = #lines > 0
    lines = is_next and lines or journal.written
  end
  local last, logged = lines[#lines], arg.logged
  if last then
    local digest = digest_of(last)
    logged = is_next and string.match(last, '^%x+ (%d+) ') .. ' ' .. string.sub(digest, 1, 16) or logged
    table.insert(told, 'noted')
    table.insert(told, table.concat(lines, '\n') .. '\n' .. digest)
  end
  if logged then
    table.insert(told, 'logged')
    table.insert(told, logged)
  end
end

return journal
