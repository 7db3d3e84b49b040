-- Sessions that the origin or an operator ended. The list `ended` holds them as `version:last:mark`, the latest first: each POP
-- takes what it does not have, and refuses tickets whose id begins with a mark until the session would have ended.
-- Gives `end_marked`, `is_news_of`, `news_since`.

local call, state, sessions, rolls = require('call'), require('record').state, require('sessions'), require('rolls')
local key, now, this_minute = call.key, call.now, call.minute
local MAX, PART = 1000, 100

-- The oldest entry is dropped only where its session would have ended.
local function is_ended_full()
  local oldest = redis.call('LRANGE', key.ended, MAX - 1, MAX - 1)[1]
  return oldest and tonumber(string.match(oldest, '^%d+:(%d+):')) >= this_minute
end

-- How many of them end now, and how many only by themselves, since the list is full. Where its last minute is known, the slot is
-- free at once.
local function end_marked(words)
  local number, later = 0, 0
  for at, mark, last, of in string.gmatch(words, '(%d+):(%x+):(%d+)(%S*)') do
    local memory, last_minute = call.marks[tonumber(at)], tonumber(last)
    local known = tonumber(redis.call('GET', memory) or -1)
    if known < this_minute then
      if is_ended_full() then
        later = later + 1
      else
        local listed = sessions.last_end()
        number, state.ended = number + 1, math.max(now, state.ended + 1)
        state.ended_last = math.max(state.ended_last, listed)
        redis.call('LPUSH', key.ended, string.format('%d:%d:%s', state.ended, listed, mark))
        redis.call('LTRIM', key.ended, 0, MAX - 1)
        redis.call('EXPIRE', key.ended, (state.ended_last - this_minute + 2) * 60)
        redis.call('SET', memory, listed, 'EX', (listed - this_minute + 2) * 60)
        -- Where it ended with all tickets before, it holds no slot. Of one of which nothing is known, that ends by itself.
        if of ~= '' and not rolls.has_ended_visits(string.match(of, '^:(%d+)$')) then
          sessions.leave(sessions.end_of(mark), last_minute)
        end
        sessions.note(mark, -listed)
      end
    end
  end
  return number, later
end

-- Whether a ticket is among these news.
local function is_news_of(id, news)
  for mark in string.gmatch(news or '', ':(%x+)') do
    if string.sub(id, 1, #mark) == mark then
      return true
    end
  end
  return false
end

-- What a POP does not have of the list, as `last:mark`; `seen`: the version that it has.
local function news_since(seen)
  local news = {}
  if not seen or seen >= state.ended or this_minute > state.ended_last then
    return
  end
  for from = 0, MAX - 1, PART do
    local part = redis.pcall('LRANGE', key.ended, from, from + PART - 1)
    for _, entry in ipairs(part) do
      local version, rest = string.match(entry, '^(%d+):(.*)$')
      if tonumber(version) <= seen then
        return table.concat(news, ' ')
      end
      table.insert(news, rest)
    end
    if #part < PART then
      break
    end
  end
  return table.concat(news, ' ')
end

return { end_marked = end_marked, is_news_of = is_news_of, news_since = news_since }
