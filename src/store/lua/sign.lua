-- What a copy of the sign proves: a line that lost its data comes back.
-- Gives `brought`, the copy that this call brings, and `take`.

local arg, state, live = require('call').arg, require('record').state, require('live')
local birth, journal = require('birth'), require('journal')

local function brought()
  return {
    mode = arg.sign_mode, message = arg.sign_message, splices = arg.sign_splices, ring = arg.sign_ring, cap = arg.sign_cap,
    events = arg.sign_events, front = arg.sign_front, regions = arg.sign_regions, version = tonumber(arg.sign_version),
    set_at = live.times(arg.sign_mode_at, arg.sign_pace_at, arg.sign_message_at, arg.sign_cap_at, arg.sign_event_at),
    born = tonumber(arg.sign_born), started = tonumber(arg.sign_started), adopted = tonumber(arg.sign_adopted),
    settled = tonumber(arg.sign_settled), epoch = tonumber(arg.sign_epoch), cursor = tonumber(arg.sign_cursor),
    length = tonumber(arg.sign_length), credit = tonumber(arg.sign_credit), recent = tonumber(arg.sign_recent),
    paced = tonumber(arg.sign_paced), automatic = tonumber(arg.sign_automatic), quantity = tonumber(arg.sign_quantity),
    told = tonumber(arg.sign_told), cap_since = tonumber(arg.sign_cap_since), lines = tonumber(arg.sign_lines),
  }
end

-- A sign that is further on than its own data means that the store has lost some.
local function is_behind(sign)
  return sign.length > state.length or sign.cursor > state.cursor or sign.epoch > state.epoch or sign.version > live.version
    or (sign.front or sign.regions) and require('gaps').are_behind(sign)
end
-- Also where only the journal shows it.
local function has_lost_lines(sign)
  return (sign.lines or 0) > (journal.seq or 0)
end
-- Whether it says of the line what these data do not. The numbers of an epoch that has ended are of no use.
local function has_news(sign)
  local is_later = sign.started > state.started or sign.started == state.started and sign.adopted > state.adopted
  local is_same = sign.started == state.started and sign.adopted == state.adopted
  local is_late = not birth.is_young() and sign.born == state.born and sign.started < state.started and sign.epoch >= state.epoch
  local has_lost = is_later or (is_same or is_late) and is_behind(sign) or is_same and has_lost_lines(sign)
  return has_lost or birth.is_young() and sign.started < state.started, is_late, has_lost
end
-- Whether one of the two has a setting that the other has not.
local function has_settings(sign)
  for i = 1, #live.NAMES do
    local name = live.NAMES[i]
    if sign.set_at[name] ~= live.set_at[name] then
      return true
    end
  end
  return sign.version > live.version
end
local function take(sign)
  local started, adopted, age = state.started, state.adopted, sign.started - state.started
  local is_news, is_late, has_lost = has_news(sign)
  if is_news then
    require('restore').take_line(sign, is_late, has_lost)
  end
  local is_lost = state.started ~= started or state.adopted ~= adopted
  if is_lost or sign.front or sign.regions or state.gap_end > state.cursor then
    require('gaps').take_sign(sign, is_lost, state.started ~= started)
  end
  -- Of this line, or of a piece of it.
  if sign.born == state.born or birth.splice_of(birth.splices, sign.born) then
    if has_settings(sign) then
      require('settings').take(sign)
    end
    if arg.sign_event then
      require('lot').take(arg.sign_event, sign, age)
    end
  end
end

return { brought = brought, take = take }
