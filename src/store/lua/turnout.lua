-- How many called visitors do not come, by the samples of the last minutes.
-- Gives `absence`, `measure`.

local call, state = require('call'), require('record').state
local now, this_minute = call.now, call.minute

local function samples_of(first, last)
  return require('history').samples(first, last)
end

-- How many called visitors had not come at the end of a minute. After the latest minute with a verb nothing moved.
local function missing_at(minute, samples)
  if minute >= state.minute then
    return state.admitted - state.claimed
  end
  local missing = state.noted_released - state.noted_came
  for _, sample in ipairs(samples) do
    if sample.at <= minute then
      return missing
    end
    missing = missing - (sample.released - sample.came)
  end
  return 0
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
  local samples = samples_of(0, 6)
  if call.arg.absent == 'off' or not samples[1] or samples[1].at < this_minute - 1 then
    state.absent = -1
  elseif state.steady > 0 and state.steady <= this_minute - 7 then
    local all, some = 0, 0
    state.absent = -1
    for i = 2, 7 do
      local sample = samples[i]
      if not sample or sample.at ~= this_minute - i then
        return
      elseif i < 7 then
        all, some = all + sample.released, some + sample.came
      end
    end
    if all >= 50 then
      state.absent, state.measured = math.floor(math.max(all - some, 0) * 1000 / all), this_minute
    end
  elseif this_minute - state.measured > LONGEST_SHARE then
    state.absent = -1
  end
end

return { absence = absence, measure = measure }
