-- What a verb that may move the line leaves.
-- A function without arguments that returns nothing.

local call, record, live = require('call'), require('record'), require('live')
local mode, lanes, absent, cap = require('mode'), require('lanes'), require('absent'), require('cap')
local bound, journal, rate, release = require('bound'), require('journal'), require('rate'), require('release')
local state, before, this_minute = record.state, lanes.before, call.minute

-- The first verb of a minute writes down how the last minute with a verb ended: how many waited, and the sums so far.
local function remember_minute()
  if this_minute <= state.minute then
    return
  end
  if state.minute > 0 then
    local hour = call.key.hour
    local sample = { state.minute, before.waiting, before.drawn, before.admitted, before.claimed }
    redis.call('LPUSH', hour, table.concat(sample, ' '))
    redis.call('LTRIM', hour, 0, 60)
    redis.call('EXPIRE', hour, call.TTL.hour)
    require('turnout').measure()
  end
  state.minute = this_minute
end

return function()
  if mode.is_held() then
    require('window').keep_sick()
  end
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
  journal.close(bound.rule())
  absent.watch(state.admitted > before.admitted)
  remember_minute()
  if before.waiting == 0 and lanes.waiting() > 0 then
    state.anchor = math.max(call.now, mode.is_held() and state.anchor or 0)
  end
  record.write(live.lifetime())
end
