-- The window: how many visitors a period may have, as the share of late answers says.
-- `dev/simulator/src/window.rs` measures what the constants reach. Sizes are in thousandths of a visitor.
-- Gives `hear_baseline`, `hear`, `forget`, `keep_sick`, `end_ramp`, `budget`, `written`.

local call, record, live, health = require('call'), require('record'), require('live'), require('health')
local state, stored, now = record.state, record.stored, call.now

-- Groups of answers, as `minute:share`, the oldest first.
local function read_groups()
  local groups = {}
  for minute, share in string.gmatch(stored.base_groups or '', '(%d+):(%d+)') do
    table.insert(groups, { minute = tonumber(minute), share = tonumber(share) })
  end
  return groups
end
local groups = read_groups()
local function hear_baseline(all, late)
  local this_minute = call.minute
  if this_minute > state.base_minute then
    if state.base_n >= 200 then
      table.insert(groups, { minute = state.base_minute, share = math.floor(state.base_late * 1000 / state.base_n) })
      state.base_n, state.base_late = 0, 0
    end
    state.base_minute = this_minute
  end
  state.base_n, state.base_late = state.base_n + all, state.base_late + late
  local kept, texts_of = {}, {}
  for _, group in ipairs(groups) do
    if group.minute + 10 > this_minute and group.minute <= this_minute then
      table.insert(kept, group)
      table.insert(texts_of, group.minute .. ':' .. group.share)
    end
  end
  groups = kept
  local written = table.concat(texts_of, ' ')
  if written ~= (stored.base_groups or '') then
    record.texts.base_groups = written
  end
end
local function baseline()
  local shares = {}
  for _, group in ipairs(groups) do
    table.insert(shares, group.share)
  end
  table.sort(shares)
  return math.min(shares[math.floor(math.max(#shares - 1, 0) / 4) + 1] or 0, 100)
end

local function least_window()
  return math.min(health.least * 1000, health.most_window())
end
-- The seconds of the whole periods that fit into these.
local function whole(seconds)
  return math.floor(seconds / math.max(live.automatic, 1)) * live.automatic
end
-- What was heard until now belongs to another size.
local function change_window(at)
  state.w_changed, state.w_n, state.w_late = at, 0, 0
end
-- Only visitors who are released from then on say something about it: those behind the `cut` of their lane, once it is open.
local function count_from(second)
  state.w_from, state.w_cuts, state.w_open = second, state.w_cuts + 1, 0
end
local function hear_window(all, late)
  state.w_n, state.w_late = state.w_n + all, state.w_late + late
  while state.w_n > 400 do
    state.w_n, state.w_late = math.floor(state.w_n / 2), math.floor(state.w_late / 2)
  end
end
-- A pace that does not follow the answers is held back only by what makes the origin sick.
local function tolerated_share()
  return health.is_steered() and baseline() + 80 or math.max(baseline() + 80, health.share * 10)
end
local function window_health(at)
  local tolerated = tolerated_share()
  local all, allowed = state.w_late * 1000, state.w_n * tolerated
  local above = math.max(all - allowed, 0)
  local load = now < state.load_until and state.load or nil
  -- Visitors who were released before the latest change still make the load.
  if load and load > 1000 and state.w_open == 1 and at >= state.w_changed + 10 then
    return 'late', true
  elseif state.w_n == 0 then
    return load and load < 900 and 'healthy' or nil
  elseif load and load >= 900 and all <= allowed then
    return 'doubtful'
  elseif all <= allowed then
    return 'healthy'
  end
  local is_seldom = above * above * 100 >= 256 * allowed * math.max(1000 - tolerated, 0)
  return state.w_n >= 20 and is_seldom and 'late' or 'doubtful'
end

-- After a sickness the window doubles; where nothing is heard of it, not as soon.
local function climb(last, at, says)
  if not says and state.w_open == 0 then
    return change_window(at)
  elseif not says and at < state.w_changed + math.max(live.automatic, 10) then
    return
  elseif not says or says == 'healthy' then
    state.w_size = math.min(state.w_size * 2, last)
  elseif says == 'late' then
    state.w_size = math.max(math.floor(state.w_size / 2), least_window())
    count_from(at + whole(4))
  end
  change_window(at)
  if state.w_size >= last then
    state.w_ramp = 0
  end
end
local function growth()
  local size, knee = state.w_size, state.w_knee
  local slow, fast = math.floor(size * 4 / 1000), math.max(math.floor(size * 20 / 1000), 1000)
  if knee == 0 or size >= math.floor(knee * 1070 / 1000) then
    return fast
  end
  return math.max(math.min(fast, math.max(math.floor(knee * 930 / 1000) - size, 0)), slow)
end
local function follow(at, unused, says)
  if says == 'healthy' then
    if unused == 0 and state.w_n >= 10 and at >= state.w_changed + whole(10) then
      state.w_size = state.w_size + growth()
      change_window(at)
    end
  elseif says == 'late' then
    local knee = state.w_knee == 0 and state.w_size or state.w_knee
    state.w_knee = math.floor((knee + state.w_size) / 2)
    state.w_size = math.floor(state.w_size * 900 / 1000)
    change_window(at)
    count_from(at + whole(4))
  end
end

-- The pace is another one: what was learned says nothing about it.
local function forget_window()
  if state.w_size > 0 then
    require('slowed').narrow(state.w_size, live.quantity * 1000)
  end
  state.w_size, state.w_knee, state.w_ramp = live.quantity * 1000, 0, 0
  change_window(0)
  count_from(math.floor(now / 1000))
end
local function end_ramp()
  if state.w_ramp > 0 then
    state.w_size, state.w_ramp = state.w_ramp, 0
    change_window(math.floor(now / 1000))
  end
end
local function begin_window()
  if state.w_size == 0 then
    state.w_size = live.quantity * 1000
  end
end
-- A sick origin is given little at first, so that the end of the marker is no stampede.
local function begin_ramp()
  begin_window()
  local at, last = math.floor(now / 1000), live.quantity * 1000
  if health.is_steered() then
    last = state.w_ramp > 0 and state.w_ramp or math.floor(math.max(state.w_size, state.w_knee) * 900 / 1000)
  end
  state.w_ramp = last
  state.w_size = math.max(math.floor(last / 2 ^ math.max(math.floor(100 / math.max(live.automatic, 1)), 2)), least_window())
  change_window(at)
  count_from(at)
end
-- While the room is on hold for a sick origin, what is missed is not made up for, and the pace begins small afterwards.
local function keep_sick()
  state.left, state.anchor = 0, math.max(state.anchor, state.sick_until)
  if state.w_ramp == 0 then
    begin_ramp()
  end
end
-- How many visitors these periods have, of which the first begins at that second.
local function window_budget(many, at)
  begin_window()
  local says, is_by_load = window_health(at)
  -- One report makes one cut.
  state.load_until = is_by_load and 0 or state.load_until
  if state.w_ramp > 0 then
    climb(health.is_steered() and math.min(state.w_ramp, health.most_window()) or live.quantity * 1000, at, says)
  elseif health.is_steered() then
    local was = state.w_size
    follow(at, state.left, says)
    if state.w_size ~= was then
      require('slowed').narrow(was, state.w_size)
    end
  else
    state.w_size = live.quantity * 1000
  end
  if health.is_steered() then
    state.w_size = math.max(math.min(state.w_size, health.most_window()), least_window())
  end
  local all = many * state.w_size + state.w_carry
  state.w_carry = all % 1000
  return math.floor(all / 1000)
end
local function written_window()
  local load = now < state.load_until and state.load + 1 or 0
  local says = health.setting and window_health(math.floor(now / 1000)) or 'unknown'
  return string.format('%d %d %d %d %d %d %d %s', state.w_size, state.w_knee, state.w_ramp, state.w_n, state.w_late, baseline(), load,
    says)
end

return {
  hear_baseline = hear_baseline, hear = hear_window, forget = forget_window, keep_sick = keep_sick,
  end_ramp = end_ramp, budget = window_budget, written = written_window,
}
