-- The lines of the room's regions. The main line is that of all places which no region names: '*' stands for it here.
-- Invariant: the parts of a release are together what is released, and none is more than wait in its line.

-- What is kept of a region: its numbers and its measured rate, as of the main line; how many came in the latest minute with a draw
-- and in the two before it; what it is owed, in millionths of a visitor; and the numbers that a loss left free.
regions.figures = {
  'cursor', 'length', 'window', 'window_from', 'window_last', 'since', 'from', 'mid', 'mid_from', 'moved', 'step', 'mid_step',
  'came_at', 'came', 'came_last', 'came_before', 'owed', 'gap', 'gap_end',
}
regions.whole = 1000000

-- `line`: with what the names of its line's fields begin. Where one region is known, so is '*'. They are kept by name.
function regions.add(name)
  local region = regions.by_name[name]
  if not region then
    region = { name = name, own = name .. ' ', line = name == '*' and '' or name .. ' ' }
    regions.by_name[name] = region
    table.insert(regions.list, region)
    table.sort(regions.list, function(a, b)
      return a.name < b.name
    end)
    for _, figure in ipairs(regions.figures) do
      state[region.own .. figure] = 0
    end
    if name ~= '*' then
      table.insert(lanes, region.line)
      regions.add('*')
    end
  end
  return region
end
-- The minute that was the latest becomes one of those before it.
function regions.turn(own)
  local ago = this_minute - state[own .. 'came_at']
  if ago > 0 then
    local came, last = state[own .. 'came'], state[own .. 'came_last']
    state[own .. 'came_before'] = ago == 1 and last or ago == 2 and came or 0
    state[own .. 'came_last'] = ago == 1 and came or 0
    state[own .. 'came'], state[own .. 'came_at'] = 0, this_minute
  end
end
function regions.come(name)
  local region = regions.by_name[name]
  if region then
    regions.turn(region.own)
    state[region.own .. 'came'] = state[region.own .. 'came'] + 1
  end
end

for name, figures in string.gmatch(stored.regions or '', '([^ ;]+)([^;]*)') do
  local own, numbers = regions.add(name).own, string.gmatch(figures, '%S+')
  for _, figure in ipairs(regions.figures) do
    state[own .. figure] = tonumber(numbers() or 0)
  end
  if set_back > 0 then
    turn_back(own)
    state[own .. 'came_at'] = math.min(state[own .. 'came_at'], this_minute)
  end
end
-- A percent follows the name where the share is fixed. `free`: what is left of a release for lines without one.
regions.free = 100
for name, percent in string.gmatch(arg.regions or '', '([^ =]+)=?(%d*)') do
  local fixed = tonumber(percent)
  regions.add(name).fixed = fixed
  regions.configured[name] = true
  regions.free = math.max(regions.free - (fixed or 0), 0)
end
for _, region in ipairs(regions.list) do
  regions.turn(region.own)
end
function regions.write()
  local lines = {}
  for _, region in ipairs(regions.list) do
    local part = { region.name }
    for _, figure in ipairs(regions.figures) do
      table.insert(part, string.format('%d', state[region.own .. figure]))
    end
    table.insert(lines, table.concat(part, ' '))
  end
  if #lines > 0 then
    texts.regions = table.concat(lines, ';')
  end
end
function regions.forget_owed()
  for _, region in ipairs(regions.list) do
    state[region.own .. 'owed'] = 0
  end
end

-- What a copy of the sign knows.
function regions.take_sign(told, is_lost, are_old)
  local known, none = {}, { cursor = 0, length = 0, recent = 0 }
  for name, cursor, length, lately in string.gmatch(told or '', '([^ ;]+) (%d+) (%d+) (%d+)[^;]*') do
    known[regions.add(name)] = { cursor = tonumber(cursor), length = tonumber(length), recent = tonumber(lately) }
  end
  for _, region in ipairs(regions.list) do
    if region.line ~= '' then
      front.take_copy(region.line, known[region] or none, is_lost, are_old)
    end
  end
end
-- `name cursor length recent` of each, and what was measured, where that is known.
function regions.written()
  local lines = {}
  for _, region in ipairs(regions.list) do
    local function at(figure)
      return state[region.own .. figure]
    end
    -- Of '*' neither is written.
    if at('length') > 0 then
      local is_measured = at('since') > 0 and at('cursor') > at('from')
      table.insert(lines, string.format('%s %d %d %d', region.name, at('cursor'), at('length'), recent(region.line))
        .. (is_measured and string.format(' %d %d %d %d', at('cursor') - at('from'), at('moved') - at('since'), at('moved'), at('step')) or ''))
    end
  end
  return #lines > 0 and table.concat(lines, ';') or nil
end

-- A number for the ticket in this region, by the name that answers give it.
function regions.draw(name)
  local length = regions.lane(name) .. 'length'
  count_draw(regions.lane(name))
  state[length], state.drawn = state[length] + 1, state.drawn + 1
  regions.come(name)
  front.says = name
  front.remember('region', string.format(' region %s %d:%d:%d', name, state.born, state.epoch, state[length]))
  return state[length]
end
-- What the same ticket drew before, when the answer was lost.
function regions.drawn_before()
  local name, born, epoch, position = string.match(front.memory(), ' region (%S+) (%d+):(%d+):(%d+)')
  local drawn = name and { born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) }
  local number = drawn and front.number_of(drawn, regions.lane(name))
  front.says = number and name or front.says
  return number
end

-- The share of each region without a fixed one: as many as drew a number there in the minute that counts. Regions where none did
-- have together what the pace admits in a minute beyond all those draws (the reserve), by their waiting visitors, and at least one
-- each. If none was drawn in any of them, all shares are by waiting visitors.
function regions.share_out(open)
  local all, new = 0, 0
  for _, region in ipairs(open) do
    region.share = state[region.own .. (arg.regions_lag == '2' and 'came_before' or 'came_last')]
    all, new = all + region.share, new + (region.share == 0 and region.waits or 0)
  end
  local limit = live.automatic > 0 and math.floor(live.quantity * 60 / live.automatic) or 0
  local reserve = math.max(math.floor(limit * regions.free / 100) - all, 0)
  for _, region in ipairs(open) do
    if all == 0 then
      region.share = region.waits
    elseif region.share == 0 and region.waits > 0 then
      region.share = math.max(math.floor(reserve * region.waits / new), 1)
    end
  end
end

function regions.take(region, places)
  region.places, region.rest = region.places + places, region.rest - places * regions.whole
end
-- Which gets a place: the first with the greatest remainder, of equal ones with the larger share. Which gives one back: the first of
-- those with a place whose remainder is the least.
function regions.next(open, is_given)
  local best
  for _, region in ipairs(open) do
    local by, is_next = best and region.rest - best.rest
    if is_given then
      is_next = not best or by > 0 or by == 0 and region.share > best.share
    else
      is_next = region.places > 0 and (not best or by < 0)
    end
    best = is_next and region or best
  end
  return best
end
-- What falls to each, as if any number waited there, with what the lines are owed together. Where none has a share, each has one by
-- who waits.
function regions.apportion(most, owed, open)
  local all, waits, given = 0, 0, 0
  for _, region in ipairs(open) do
    all, waits = all + region.share, waits + region.waits
  end
  for _, region in ipairs(open) do
    region.share = all > 0 and region.share or region.waits
    local product, of = most * region.share, all > 0 and all or waits
    local full = math.floor(product / of)
    region.rest = math.floor(product % of * regions.whole / of) + math.floor(owed * region.share / of) + region.owed
    region.places = math.max(full + math.floor(region.rest / regions.whole), 0)
    region.rest = region.rest + (full - region.places) * regions.whole
    given = given + region.places
  end
  for _ = given + 1, most do
    regions.take(regions.next(open, true), 1)
  end
  for _ = most + 1, given do
    regions.take(regions.next(open, false), -1)
  end
end
-- How many of each of these lines go in, of at most this many: `part`; and what it is owed then: `owed`. What a line does not use is
-- split among the others.
function regions.divide(most, owed, lines)
  local open, is_full = {}, true
  for _, region in ipairs(lines) do
    region.part = 0
    if region.waits > 0 then
      table.insert(open, region)
    else
      region.owed = 0
    end
  end
  while is_full do
    is_full = false
    regions.apportion(most, owed, open)
    for at = #open, 1, -1 do
      local region = open[at]
      if region.places > region.waits then
        is_full, region.part, most, region.owed = true, region.waits, most - region.waits, 0
        table.remove(open, at)
      end
    end
  end
  for _, region in ipairs(open) do
    region.part, region.owed = region.places, region.places < region.waits and region.rest or 0
  end
end
-- Of at most this many, which is no more than wait. Lines without a fixed share are one line at first.
function regions.split(most)
  local fixed, free, together = {}, {}, { share = regions.free, waits = 0, owed = 0 }
  for _, region in ipairs(regions.list) do
    region.waits, region.owed = state[region.line .. 'length'] - state[region.line .. 'cursor'], state[region.own .. 'owed']
    region.share = region.fixed
    table.insert(region.fixed and fixed or free, region)
    if not region.fixed and region.waits > 0 then
      together.waits, together.owed = together.waits + region.waits, together.owed + region.owed
    end
  end
  local owed = together.owed
  table.insert(fixed, together)
  regions.divide(most, 0, fixed)
  regions.share_out(free)
  regions.divide(together.part, together.owed - owed, free)
  for _, region in ipairs(regions.list) do
    state[region.own .. 'owed'] = region.owed
  end
end

return regions
