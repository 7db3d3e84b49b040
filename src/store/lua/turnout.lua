-- How many called visitors do not come, by the samples of the last minutes.
-- Gives `absence`, `measure`.

local call, state = require('call'), require('record').state
local key, now, this_minute = call.key, call.now, call.minute

-- The latest samples. A key that is no longer of its type has none.
local function samples_of(first, last)
  local samples = redis.pcall('LRANGE', key.hour, first, last)
  return samples.err and {} or samples
end
-- A minute, and how many were called and had come in all at its end.
local function read_sample(sample)
  local minute, called, came = string.match(sample or '', '^(%d+) %d+ %d+ (%d+) (%d+)$')
  return tonumber(minute), tonumber(called), tonumber(came)
end

-- How many called visitors had not come at the end of a minute. After the latest minute with a verb nothing moved.
local function missing_at(minute, samples)
  for _, sample in ipairs(minute < state.minute and samples or {}) do
    local at, called, came = read_sample(sample)
    if at and at <= minute then
      return called - came
    end
  end
  return minute < state.minute and 0 or state.admitted - state.claimed
end
-- How many were called within the last minute and have not come. Within a minute they are taken to have come evenly. The
-- share is named only where it is known.
local function absence()
  local samples, last = samples_of(0, 1), this_minute - 1
  local from, to = missing_at(last - 1, samples), missing_at(last, samples)
  local missing = state.admitted - state.claimed - math.floor(from + (to - from) * (now % 60000) / 60000)
  local told = { 'may_come', math.max(missing, 0), 'absent', state.absent }
  return unpack(told, 1, state.absent < 0 and 2 or 4)
end

-- How many minutes a share counts without a new measurement.
local LONGEST_SHARE = 30
-- Measured over the five minutes that ended a minute before the latest sample, out of at least fifty called visitors. While
-- the mode is not automatic or counts are late, the share stays as it was; after a minute without a verb it is not known.
local function measure()
  if call.arg.absent == 'off' or state.minute < this_minute - 1 then
    state.absent = -1
  elseif state.steady > 0 and state.steady <= this_minute - 7 then
    local samples, called, came = samples_of(1, 6), {}, {}
    state.absent = -1
    for i = 1, 6 do
      local minute
      minute, called[i], came[i] = read_sample(samples[i])
      if minute ~= this_minute - 1 - i then
        return
      end
    end
    local all, some = called[1] - called[6], came[1] - came[6]
    if all >= 50 and some >= 0 then
      state.absent, state.measured = math.floor(math.max(all - some, 0) * 1000 / all), this_minute
    end
  elseif this_minute - state.measured > LONGEST_SHARE then
    state.absent = -1
  end
end

return { absence = absence, measure = measure }
