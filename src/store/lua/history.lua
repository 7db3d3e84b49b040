-- The last hour, minute by minute; the sums of what POPs counted.

-- The first verb of a minute writes down how the last minute with a verb ended: how many waited, and the sums so far.
local function remember_minute()
  if this_minute <= state.minute then
    return
  end
  if state.minute > 0 then
    local sample = { state.minute, waiting(before), before.drawn, before.admitted, before.claimed }
    redis.call('LPUSH', key.hour, table.concat(sample, ' '))
    redis.call('LTRIM', key.hour, 0, 60)
    redis.call('EXPIRE', key.hour, TTL.hour)
    measure_absent()
  end
  state.minute = this_minute
end

-- An answer may be lost and a batch be sent again: each number of a till counts once. A key that is
-- no longer of its type loses counts, not the poll: errors of these commands are ignored.
local function count()
  for i, till in ipairs(tills) do
    local number = tonumber(arg['number' .. i]) or 0
    local last = redis.pcall('GET', till)
    if type(last) ~= 'table' and number > (tonumber(last) or 0) then
      for name, by in string.gmatch(arg['counts' .. i] or '', '([%w_]+)=(%d+)') do
        local from, to = string.match(name, '^renewed_(%d+)_(%d+)$')
        local cuts, watched = string.match(name, '^watched_(%d+)_(%a+)$')
        if from then
          renew_sessions(tonumber(from), tonumber(to), tonumber(by))
        elseif watched then
          hear(cuts, watched, tonumber(by))
          redis.pcall('HINCRBY', key.counts, 'origin_' .. watched, by)
        else
          redis.pcall('HINCRBY', key.counts, name, by)
        end
        if name == 'decided_admitted' or name == 'decided_rescued' then
          state.claimed = state.claimed + tonumber(by)
          hear_counts()
        end
      end
      redis.pcall('EXPIRE', key.counts, TTL.counts)
      redis.pcall('SET', till, number, 'EX', TTL.till)
    end
  end
  judge_health()
end

-- A POP that renews the sign says its name. Each is counted once a minute, and for that and the next minute, so that every
-- POP knows its share of the pace when the store cannot tell it. Errors are ignored, as for the counts.
local function count_pop()
  if not arg.pop or tonumber(redis.pcall('HGET', key.pops, arg.pop)) == this_minute then
    return
  end
  redis.pcall('HSET', key.pops, arg.pop, this_minute)
  redis.pcall('EXPIRE', key.pops, TTL.pops)
  local pops, many = redis.pcall('HGETALL', key.pops), 0
  for i = 2, #pops, 2 do
    if (tonumber(pops[i]) or 0) >= this_minute - 1 then
      many = many + 1
    else
      redis.pcall('HDEL', key.pops, pops[i - 1])
    end
  end
  state.pops = many
end

local function save()
  keep_sick()
  front.measure_all()
  write_sessions()
  note_release()
  journal.close(bound())
  watch_turnout()
  remember_minute()
  if waiting(before) == 0 and waiting(state) > 0 then
    state.anchor = math.max(now, is_held() and state.anchor or 0)
  end
  regions.write()
  write_state()
end
