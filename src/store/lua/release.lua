-- How many waiting visitors are released.
-- Gives `release`, `admit`, `call`, `note`; `called`, the lanes of which this call has called visitors.

local time, record = require('call'), require('record')
local mode_now, lanes, absent, cap = require('mode').now, require('lanes'), require('absent'), require('cap')
local bound, live = require('bound'), require('live')
local state, now, main, front = record.state, time.now, lanes.main, lanes.front

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
-- Of the lanes that are no group.
local function call_beside(most)
  if not lanes.has_regions() then
    return call(main, most)
  end
  local released, waits = 0, lanes.waiting() - lanes.waiting_in(front)
  most = math.min(most, waits, bound.most())
  if most > 0 then
    require('shares').split(most)
    for _, lane in ipairs(lanes.beside) do
      released = released + call(lane, lane.part)
    end
  end
  return released
end
-- Of each release, by pace, permit or credit, the front lane has its share, rounded up over all releases for which others wait: what it
-- had ahead counts for the next ones. Either gives back what it does not use.
local function admit(most)
  most = math.min(most, lanes.waiting(), bound.most())
  if most == 0 and front.over == 0 then
    return 0
  end
  local due = lanes.front_share * most - front.over
  local of_front = call(front, math.max(math.ceil(due / 100), 0))
  local beside = call_beside(most - of_front)
  local is_left = lanes.waiting() > lanes.waiting_in(front)
  front.over = is_left and math.max(100 * of_front - due, 0) or 0
  return of_front + beside + call(front, most - of_front - beside)
end

-- What the pace lets in now: where rooms have one together, what is left for this one.
local function by_pace()
  return time.key.pace and math.min(state.left, require('joint').most()) or state.left
end
local function admit_by_pace()
  local released = admit(by_pace())
  if time.key.pace then
    require('joint').take(released)
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
