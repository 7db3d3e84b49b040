-- How many waiting visitors are released.
-- Gives `release`, `admit`, `call`, `note`; `called`, the lanes of which this call has called visitors.

local time, record = require('call'), require('record')
local mode_now, lanes, absent, cap = require('mode').now, require('lanes'), require('absent'), require('cap')
local bound, live = require('bound'), require('live')
local state, now, main, groups = record.state, time.now, lanes.main, lanes.groups

local called = {}
-- Calls at most so many visitors of one lane.
local function call(lane, most)
  if most == 0 then
    return 0
  end
  local released = math.min(most, lanes.waiting_in(lane), bound.most())
  local left = released
  for _, of in ipairs(lane.stretches) do
    local many = math.min(left, of.drawn - of.served)
    of.served, left = of.served + many, left - many
    if cap.is_capped then
      require('sessions').promise(of, many)
    end
  end
  lane.called, state.admitted = lane.called + released, state.admitted + released
  live.sell(released)
  called[lane] = called[lane] or released > 0
  return released
end
local function waiting_in_all(list)
  local sum = 0
  for _, lane in ipairs(list) do
    sum = sum + lanes.waiting_in(lane)
  end
  return sum
end
-- Of the lanes that are no group.
local function call_beside(most)
  if not lanes.has_regions() then
    return call(main, most)
  end
  local released = 0
  most = math.min(most, waiting_in_all(lanes.beside), bound.most())
  if most > 0 then
    require('shares').split(most)
    for _, lane in ipairs(lanes.beside) do
      released = released + call(lane, lane.part)
    end
  end
  return released
end
-- Of each release, by pace, permit or credit, the groups come first, by rank. While lower ones wait each has its share. It is rounded up
-- over all releases, and over the groups down to each rank: what one had ahead counts for the next releases, and in this one for those
-- behind it, who have it later. What a lane does not use goes down to the lanes that are no group, and what these do not use goes up
-- again, to the lowest group first: so none has more than its share while a lower one waits.
local function admit(most)
  local left = math.min(most, lanes.waiting(), bound.most())
  if not groups[1] then
    return call_beside(left)
  end
  most = left
  local ahead = 0
  for _, group in ipairs(groups) do
    local due = group.percent * most - group.over
    local part = call(group, math.min(math.max(math.ceil((due - ahead) / 100), 0), left))
    -- One that did not use its share is owed nothing.
    group.over = math.max(100 * part - due, lanes.waiting_in(group) > 0 and -math.huge or 0)
    ahead, left = ahead + group.over, left - part
  end
  left = left - call_beside(left)
  local below = waiting_in_all(lanes.beside)
  for rank = #groups, 1, -1 do
    local group = groups[rank]
    left = left - call(group, left)
    group.over, below = below > 0 and group.over or 0, below + lanes.waiting_in(group)
  end
  return most - left
end

-- What the pace lets in now: where rooms have one together, what is left for this one.
local function by_pace()
  return time.key.limits and math.min(state.left, require('parts').most()) or state.left
end
local function admit_by_pace()
  local released = admit(by_pace())
  if time.key.limits then
    require('parts').take(released)
  end
  return released
end

-- Credit goes first: it was granted by name, the budget is only the pace. An open room admits everybody and uses neither;
-- on hold and closed the line stands. How many were released.
local function release()
  local admitted, mode, is_quiet = state.admitted, mode_now(), now < state.quiet
  if mode == 'open' then
    admit(lanes.waiting())
  elseif mode == 'automatic' and not is_quiet then
    state.credit = state.credit - admit(state.credit)
    -- A missed period is for visitors who waited through it: what is left is at most one period's.
    state.left = math.min(state.left - admit_by_pace(), absent.most_kept())
  end
  return state.admitted - admitted
end

-- What a verb released: when, how many, what pace and credit allowed, what slots allowed, and what bound it.
local function note()
  local many = state.admitted - lanes.before.admitted
  if many > 0 then
    local free = cap.is_capped and require('sessions').free()
    record.texts.release = string.format('%d %d %d %s %s', now, many, many + state.credit + by_pace(), free and free + many or '-',
      bound.rule())
  end
end

return { release = release, admit = admit, call = call, note = note, called = called }
