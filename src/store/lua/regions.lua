-- The lanes of the room's regions. The main line is that of all places which no region names: '*' stands for it here.
-- Gives `add`, which also gives a known one; `come`, `is_configured`, `free`, `forget_owed`, `write`.

local call, record, lanes = require('call'), require('record'), require('lanes')
local state, this_minute = record.state, call.minute

-- What is kept of a region: its numbers and its measured rate, as of the main line; how many came in the latest minute with a draw
-- and in the two before it; what it is owed, in millionths of a visitor; and the numbers that a loss left free.
local FIGURES = {
  'cursor', 'length', 'window', 'window_from', 'window_last', 'since', 'from', 'mid', 'mid_from', 'moved', 'step', 'mid_step',
  'came_at', 'came', 'came_last', 'came_before', 'owed', 'gap', 'gap_end',
}

local regions, by_name, configured = {}, {}, {}
-- `own`: with what the names of the fields of its own begin; `lane`: the same of its lane. Where one region is known, so is '*'. They
-- are kept in the order of their names.
function regions.add(name)
  local region = by_name[name]
  if not region then
    region = { name = name, own = name .. ' ', lane = name == '*' and '' or name .. ' ' }
    by_name[name] = region
    table.insert(lanes.regions, region)
    table.sort(lanes.regions, function(a, b)
      return a.name < b.name
    end)
    for _, figure in ipairs(FIGURES) do
      state[region.own .. figure] = 0
    end
    if name ~= '*' then
      table.insert(lanes.list, region.lane)
      regions.add('*')
    end
  end
  return region
end
-- The minute that was the latest becomes one of those before it.
local function turn(own)
  local ago = this_minute - state[own .. 'came_at']
  if ago > 0 then
    local came, last = state[own .. 'came'], state[own .. 'came_last']
    state[own .. 'came_before'] = ago == 1 and last or ago == 2 and came or 0
    state[own .. 'came_last'] = ago == 1 and came or 0
    state[own .. 'came'], state[own .. 'came_at'] = 0, this_minute
  end
end
function regions.come(name)
  local region = by_name[name]
  if region then
    turn(region.own)
    state[region.own .. 'came'] = state[region.own .. 'came'] + 1
  end
end

for name, figures in string.gmatch(record.stored.regions or '', '([^ ;]+)([^;]*)') do
  local own, numbers = regions.add(name).own, string.gmatch(figures, '%S+')
  for _, figure in ipairs(FIGURES) do
    state[own .. figure] = tonumber(numbers() or 0)
  end
  if record.set_back > 0 then
    record.turn_back(own)
    state[own .. 'came_at'] = math.min(state[own .. 'came_at'], this_minute)
  end
end
-- A percent follows the name where the share is fixed. `free`: what is left of a release for lines without one.
regions.free = 100
for name, percent in string.gmatch(call.arg.regions or '', '([^ =]+)=?(%d*)') do
  local fixed = tonumber(percent)
  regions.add(name).fixed = fixed
  configured[name] = true
  regions.free = math.max(regions.free - (fixed or 0), 0)
end
for _, region in ipairs(lanes.regions) do
  turn(region.own)
end
-- Whether the room has this region now.
function regions.is_configured(name)
  return configured[name]
end
function regions.write()
  local lines = {}
  for _, region in ipairs(lanes.regions) do
    local part = { region.name }
    for _, figure in ipairs(FIGURES) do
      table.insert(part, string.format('%d', state[region.own .. figure]))
    end
    table.insert(lines, table.concat(part, ' '))
  end
  if #lines > 0 then
    record.texts.regions = table.concat(lines, ';')
  end
end
function regions.forget_owed()
  for _, region in ipairs(lanes.regions) do
    state[region.own .. 'owed'] = 0
  end
end

return regions
