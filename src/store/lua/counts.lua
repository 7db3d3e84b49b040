-- The sums of what POPs counted, and how many there are.
-- Gives `count`; `take`, for a verb that moves nothing else; `count_pop`.

local call, record = require('call'), require('record')
local absent, cap = require('absent'), require('cap')
local state, texts, before = record.state, record.texts, require('lanes').before
local arg, key, TTL, this_minute = call.arg, call.key, call.TTL, call.minute

-- What history.lua puts in order besides.
local OF_HISTORY = { waited = true, told = true, stayed = true, inverted = true }

-- First admissions have been counted. Other counts show only that their POP is there.
local function hear_counts()
  if absent.counts_are_late() then
    state.steady = 0
  end
  state.uncounted = 0
end
-- An answer may be lost and a batch be sent again: each number of an outbox counts once. A key that is
-- no longer of its type loses counts, not the poll: errors of these commands are ignored.
local function count()
  local heard
  for i, outbox in ipairs(call.outboxes) do
    local number = tonumber(arg['number' .. i]) or 0
    local last = redis.pcall('GET', outbox)
    if type(last) ~= 'table' and number > (tonumber(last) or 0) then
      for name, by in string.gmatch(arg['counts' .. i] or '', '([%w_-]+)=(%w+)') do
        local to, born = string.match(name, '^renewed_(%d+)_(%d+)$')
        local cuts, watched = string.match(name, '^watched_(%w+)_(%a+)$')
        if to and cap.is_capped then
          require('sessions').renew(tonumber(to), by, born)
        elseif watched then
          heard = heard or require('heard')
          heard.hear(cuts, watched, tonumber(by))
          redis.pcall('HINCRBY', key.counts, 'origin_' .. watched, by)
        elseif not to then
          redis.pcall('HINCRBY', key.counts, name, by)
          if OF_HISTORY[string.match(name, '^(%l+)_')] then
            redis.pcall('HINCRBY', key.counted, name, by)
            redis.pcall('EXPIRE', key.counted, TTL.month)
          end
        end
        if name == 'decided_admitted' or name == 'decided_rescued' then
          state.claimed = state.claimed + tonumber(by)
          -- What comes with the first verb of a minute was counted before it.
          if this_minute > state.minute then
            before.claimed = before.claimed + tonumber(by)
          end
          hear_counts()
        end
      end
      redis.pcall('EXPIRE', key.counts, TTL.counts)
      redis.pcall('SET', outbox, number, 'EX', TTL.outbox)
    end
  end
  if heard then
    heard.judge()
  end
end

-- The line does not move, but it keeps what was counted.
local function keep()
  local kept = 'claimed uncounted steady heard_ok heard_late heard_bad heard_at entry_ok entry_late entry_bad sick_until base_minute base_n base_late '
    .. 'w_size w_knee w_ramp w_changed w_from w_cuts w_open w_n w_late'
    .. (cap.is_capped and ' recount ring_told book book_last book_other' or '')
  local written = {}
  for name in string.gmatch(kept, '%S+') do
    if record.has_changed(name) and not record.moves[name] then
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
  if written[1] then
    redis.call('HSET', call.key.line, unpack(written))
  end
end
local function take()
  count()
  if call.outboxes[1] and not record.is_new then
    keep()
    -- Rooms that have a cap together hear who is inside at once.
    if call.key.limits then
      require('parts').write()
    end
  end
end

-- A POP that renews its copy says its name. Each is counted once a minute, and for that and the next minute, so that every
-- POP knows its share of the pace when the store cannot tell it. Errors are ignored, as for the counts.
local function count_pop()
  if not arg.pop or tonumber(redis.pcall('HGET', key.pops, arg.pop)) == this_minute then
    return
  end
  redis.pcall('HSET', key.pops, arg.pop, this_minute)
  redis.pcall('EXPIRE', key.pops, TTL.pops)
  local pops, many = redis.pcall('HGETALL', key.pops), 0
  for i = 2, #pops, 2 do
    local minute = tonumber(pops[i]) or 0
    if minute == this_minute or minute == this_minute - 1 then
      many = many + 1
    else
      redis.pcall('HDEL', key.pops, pops[i - 1])
    end
  end
  state.pops = many
end

return { count = count, take = take, count_pop = count_pop }
