-- The cap on who is inside, where one holds; what it needs besides is a part of its own, in sessions.lua.

-- What an operator set takes precedence over the configuration.
local cap, is_capped = {}, false
local function begin_cap()
  local total, minutes, seconds, enforcement = string.match(live.cap or '', '^(%d+) (%d+) (%d+) (%a+)$')
  cap = {
    total = tonumber(total or arg.total_active) or 0, minutes = tonumber(minutes or arg.session_minutes),
    seconds = tonumber(seconds or arg.claim_seconds), enforcement = enforcement or arg.cap,
  }
  is_capped = cap.total > 0
  if is_capped then
    use('sessions').begin()
  end
end

local function is_enforced()
  return is_capped and cap.enforcement == 'on' and live.mode ~= 'open'
end
-- Who is inside is not known after a loss that no copy of the sign came through, until all sessions of that time have ended.
local function is_recounting()
  return this_minute < state.recount
end
-- That this verb has found it out, and until when, in milliseconds.
local function recounts_from_now()
  local is_new_end = state.recount ~= (were.recount or 0)
  return is_new_end and is_enforced() and is_recounting() and string.format('%d %d', now, state.recount * 60000) or nil
end
-- How many visitors may be released.
local function slots()
  if not is_enforced() then
    return math.huge
  elseif is_recounting() then
    return 0
  end
  return use('sessions').free()
end
