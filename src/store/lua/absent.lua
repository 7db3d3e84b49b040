-- Called visitors who do not come. `queue/absent.rs` has the same rule, with its vectors.

-- A budget in per mille. With the setting `on` it is raised by the measured share, so that as many come as it has; at most
-- half as much is added. A period longer than a minute is one lump, and what is measured of it is chance.
local function raised(amount)
  local is_on = arg.absent == 'on' and live.automatic <= 60
  local present = 1000 - (is_on and math.min(math.max(state.absent, 0), 1000) or 0)
  return math.floor(math.min(amount * 1500, amount * 1000000 / present))
end
-- The budget with which a period is opened; the remainder is for the next one.
local function compensate(amount)
  local all = raised(amount) + state.carry
  state.carry = all % 1000
  return math.floor(all / 1000)
end
local function most_kept()
  return math.ceil(raised(period_most()) / 1000)
end

-- The latest samples. A key that is no longer of its type has none.
local function samples_of(first, last)
  local samples = redis.pcall('LRANGE', key.hour, first, last)
  return samples.err and {} or samples
end
-- A minute, and how many were called and had come in all at its end. The version before wrote no first admissions.
local function read_sample(sample)
  local minute, called, came = string.match(sample or '', '^(%d+) %d+ %d+ (%d+) ?(%d*)$')
  return tonumber(minute), tonumber(called), tonumber(came)
end

-- How many called visitors had not come at the end of a minute. After the latest minute with a verb nothing moved.
local function missing_at(minute, samples)
  for _, sample in ipairs(minute < state.minute and samples or {}) do
    local at, called, came = read_sample(sample)
    if at and at <= minute then
      return called - (came or 0)
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

-- A POP brings its counts within seconds. Half a minute after a release they are late, and the share says nothing.
local function counts_are_late()
  return state.uncounted > 0 and now - state.uncounted > 30000
end
-- First admissions have been counted. Other counts show only that their POP is there.
local function hear_counts()
  if counts_are_late() then
    state.steady = 0
  end
  state.uncounted = 0
end
-- Since which minute the mode is automatic and the counts come in time.
local function watch_turnout()
  if mode_now() ~= 'automatic' or counts_are_late() then
    state.steady = 0
  elseif state.steady == 0 then
    state.steady = this_minute
  end
  if state.admitted > before.admitted and state.uncounted == 0 then
    state.uncounted = now
  end
end

-- How many minutes a share counts without a new measurement.
local LONGEST_SHARE = 30
-- Measured over the five minutes that ended a minute before the latest sample, out of at least fifty called visitors. While
-- the mode is not automatic or counts are late, the share stays as it was; after a minute without a verb it is not known.
local function measure_absent()
  if arg.absent == 'off' or state.minute < this_minute - 1 then
    state.absent = -1
  elseif state.steady > 0 and state.steady <= this_minute - 7 then
    local samples, called, came = samples_of(1, 6), {}, {}
    state.absent = -1
    for i = 1, 6 do
      local minute
      minute, called[i], came[i] = read_sample(samples[i])
      if minute ~= this_minute - 1 - i or not came[i] then
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
