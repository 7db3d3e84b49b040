-- What happened: a sample of each minute with a verb, as many as a day has, and of each hour, for thirty days, the latest first. A sample is
-- `AT WAITING DRAWN RELEASED CAME RULE COUNTS…`: which minute or hour since 1970; how many waited at its end, of an hour at most; how
-- many numbers were drawn in it, how many visitors released, and how many came; the first letter of what bound the line, k for the
-- stock. COUNTS are words of what POPs counted, some minutes late: those of ten minutes stand in the last of these, or in the last before
-- an event begins or ends. A word is `KIND:OF=`, and a count behind the letter of each bucket. All numbers have the base 36. `queue/history.rs` reads it.
-- Gives `note`, with which a minute ends; `end_step`, with which counts go to a sample; `tidy`, once a minute by a verb that is no draw,
-- since it reads; `samples`; `told`.

local call, state = require('call'), require('record').state
local key, this_minute = call.key, call.minute
-- So many samples of each kind are kept, and counts go to them after so many minutes.
local DAY, MONTH, SPAN = 1440, 720, 10

local function written(number)
  local text = ''
  repeat
    local digit = number % 36
    text, number = string.sub('0123456789abcdefghijklmnopqrstuvwxyz', digit + 1, digit + 1) .. text, (number - digit) / 36
  until number < 1
  return text
end
-- A key that is no longer of its type has no samples.
local function samples(first, last)
  local texts = redis.pcall('LRANGE', key.minutes, first, last)
  local list = {}
  for _, text in ipairs(texts.err and {} or texts) do
    local at, waiting, drawn, released, came, rule, counts = string.match(text, '^(%w+) (%w+) (%w+) (%w+) (%w+) (%l)(.*)$')
    if at then
      table.insert(list, {
        at = tonumber(at, 36), waiting = tonumber(waiting, 36), drawn = tonumber(drawn, 36), released = tonumber(released, 36),
        came = tonumber(came, 36), rule = rule, counts = counts,
      })
    end
  end
  return list
end
local function text_of(sample)
  local words = {}
  for i, name in ipairs({ 'at', 'waiting', 'drawn', 'released', 'came' }) do
    words[i] = written(math.max(sample[name], 0))
  end
  return table.concat(words, ' ') .. ' ' .. sample.rule .. sample.counts
end
local function push(list, most, sample)
  redis.pcall('LPUSH', list, text_of(sample))
  redis.pcall('LTRIM', list, 0, most - 1)
end

-- The minute of the latest verb, by the sums at its end.
local function last_minute(sums, waiting, rule)
  return {
    at = state.minute, waiting = waiting, drawn = sums.drawn - state.noted_drawn, released = sums.admitted - state.noted_released,
    came = sums.claimed - state.noted_came, rule = rule == 'stock' and 'k' or string.sub(rule, 1, 1), counts = '',
  }
end
local function note(before, rule)
  push(key.minutes, DAY, last_minute(before, before.waiting, rule))
  redis.pcall('EXPIRE', key.minutes, call.TTL.month)
  state.noted_drawn, state.noted_released, state.noted_came = before.drawn, before.admitted, before.claimed
end

-- `sums`: the counts by word and by letter.
local function add(sums, word, letter, by)
  sums[word] = sums[word] or {}
  sums[word][letter] = (sums[word][letter] or 0) + by
end
local function words_of(sums)
  local words = {}
  for word, of in pairs(sums) do
    local letters = {}
    for letter, many in pairs(of) do
      table.insert(letters, letter .. written(many))
    end
    table.sort(letters)
    table.insert(words, ' ' .. word .. '=' .. table.concat(letters))
  end
  table.sort(words)
  return table.concat(words)
end
-- What was counted in the last minutes goes to the latest sample.
local function end_step()
  local last, counted, sums = redis.pcall('LRANGE', key.minutes, 0, 0)[1], redis.pcall('HGETALL', key.counted), {}
  if not last or counted.err or #counted == 0 then
    return
  end
  for i = 1, #counted, 2 do
    local kind, letter, of = string.match(counted[i], '^(%l)%l+_(%u?)_?(.*)$')
    add(sums, kind .. ':' .. of, letter, tonumber(counted[i + 1]))
  end
  redis.pcall('LSET', key.minutes, 0, last .. words_of(sums))
  redis.pcall('DEL', key.counted)
end
-- Hours that are over since the latest one that was.
local function tidy_hours()
  local last = redis.pcall('LRANGE', key.hours, 0, 0)[1]
  local this_hour, hours, list = math.floor(this_minute / 60), {}, {}
  local from = math.min((tonumber(string.match(last or '', '^%w+') or '0', 36) or 0) + 1, this_hour)
  for _, sample in ipairs(samples(0, DAY)) do
    local at = math.floor(sample.at / 60)
    if at < from then
      break
    elseif at < this_hour then
      local hour = hours[at]
      if not hour then
        hour = { at = at, waiting = 0, drawn = 0, released = 0, came = 0, rules = {}, sums = {} }
        hours[at] = hour
        table.insert(list, 1, hour)
      end
      hour.waiting = math.max(hour.waiting, sample.waiting)
      for _, name in ipairs({ 'drawn', 'released', 'came' }) do
        hour[name] = hour[name] + sample[name]
      end
      hour.rules[sample.rule] = (hour.rules[sample.rule] or 0) + 1
      for word, text in string.gmatch(sample.counts, '(%S+)=(%w+)') do
        -- What was estimated is held against what came while that is news.
        for letter, many in string.gmatch(string.sub(word, 1, 1) ~= 't' and text or '', '(%u?)([%d%l]+)') do
          add(hour.sums, word, letter, tonumber(many, 36))
        end
      end
    end
  end
  for _, hour in ipairs(list) do
    local most = 0
    for rule, many in pairs(hour.rules) do
      if many > most or many == most and rule < hour.rule then
        hour.rule, most = rule, many
      end
    end
    hour.counts = words_of(hour.sums)
    push(key.hours, MONTH, hour)
  end
  redis.pcall('EXPIRE', key.hours, call.TTL.month)
end
local function tidy()
  local from = state.tidied
  if math.floor(from / SPAN) < math.floor(this_minute / SPAN) or from < require('events').turned then
    end_step()
  end
  if math.floor(from / 60) < math.floor(this_minute / 60) then
    tidy_hours()
  end
  state.tidied = this_minute
end

-- What an answer tells: when the present data began; the minute of the latest verb, as many before it as are asked for, hours likewise,
-- and what was counted since.
local function told()
  local function list(name)
    local many = tonumber(call.arg[name] or 0)
    local texts = many > 0 and redis.pcall('LRANGE', key[name], 0, many - 1) or {}
    return texts.err and {} or texts
  end
  local counted = redis.pcall('HGETALL', key.counted)
  local now = last_minute(state, require('lanes').waiting(), require('bound').rule())
  return 'since', state.began, 'now', text_of(now), 'minutes', list('minutes'), 'hours', list('hours'), 'counted', counted.err and {} or counted
end

return { note = note, end_step = end_step, tidy = tidy, samples = samples, told = told }
