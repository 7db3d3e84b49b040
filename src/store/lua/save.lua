-- What a verb that may move the line leaves.
-- A function without arguments that returns nothing.

local call, record, live = require('call'), require('record'), require('live')
local mode, lanes, absent, cap = require('mode'), require('lanes'), require('absent'), require('cap')
local bound, journal, rate, release = require('bound'), require('journal'), require('rate'), require('release')
local state, before, this_minute = record.state, lanes.before, call.minute

-- The first verb of a minute notes how the last minute with a verb ended. `rule`: what bounds the line now.
local function end_minute(rule)
  local was = record.stored.bound
  if this_minute > state.minute and state.minute > 0 then
    require('history').note(before, was or rule)
  end
  record.texts.bound = rule ~= was and rule or nil
  state.minute = math.max(state.minute, this_minute)
  -- A draw reads nothing of what was.
  if call.arg.verb ~= 'join' and state.tidied < this_minute then
    require('turnout').measure()
    require('history').tidy()
  end
end

-- What makes the line slower is told to those who wait.
local function follow_slowness()
  local cause = mode.is_held() and 'sick' or not mode.lets_in() and 'hold' or nil
  if cause or record.stored.stood then
    require('slowed').stand(cause)
  end
  local total = call.arg.cap == 'on' and cap.total or 0
  if total ~= state.cap_total then
    local was = state.cap_total > 0 and state.cap_total or math.huge
    require('slowed').judge('cap', was, total > 0 and total or math.huge)
    state.cap_total = total
  end
  if lanes.groups[1] then
    require('slowed').follow_groups()
  end
end

return function()
  if mode.is_held() then
    require('window').keep_sick()
  end
  follow_slowness()
  rate.measure(release.called)
  if cap.is_capped or cap.has_sessions then
    require('sessions').write()
  end
  release.note()
  if call.key.limits then
    require('parts').write()
  end
  if call.arg.turn_minutes then
    require('turns').write()
  end
  local rule = bound.rule()
  journal.close(rule)
  absent.watch(state.admitted > before.admitted)
  end_minute(rule)
  if before.waiting == 0 and lanes.waiting() > 0 then
    state.anchor = math.max(call.now, mode.is_held() and state.anchor or 0)
  end
  record.write(live.lifetime())
end
