-- How a release is divided among the regions, of which the main line is one here.
-- Invariant: the parts of a release are together what is released, and none is more than wait in its lane.
-- Gives `split`.

local call, live = require('call'), require('live')
local health, lanes = require('health'), require('lanes')

-- What a region is owed is counted in such parts of a visitor.
local WHOLE = 1000000

-- The share of each region without a fixed one: as many as drew a number there in the minute that counts. Regions where none did
-- have together what the pace admits in a minute beyond all those draws (the reserve), by their waiting visitors, and at least one
-- each. If none was drawn in any of them, all shares are by waiting visitors.
local function share_out(open)
  local all, new = 0, 0
  for _, region in ipairs(open) do
    lanes.turn(region)
    region.share = call.arg.regions_lag == '2' and region.came_before or region.came_last
    all, new = all + region.share, new + (region.share == 0 and region.waits or 0)
  end
  local limit = live.automatic > 0 and math.floor(health.in_period() * 60 / live.automatic) or 0
  local reserve = math.max(math.floor(limit * lanes.free / 100) - all, 0)
  for _, region in ipairs(open) do
    if all == 0 then
      region.share = region.waits
    elseif region.share == 0 and region.waits > 0 then
      region.share = math.max(math.floor(reserve * region.waits / new), 1)
    end
  end
end

local function take(region, places)
  region.places, region.rest = region.places + places, region.rest - places * WHOLE
end
-- Which gets a place: the first with the greatest remainder, of equal ones with the larger share. Which gives one back: the first of
-- those with a place whose remainder is the least.
local function next_of(open, is_given)
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
local function apportion(most, owed, open)
  local all, waits, given = 0, 0, 0
  for _, region in ipairs(open) do
    all, waits = all + region.share, waits + region.waits
  end
  for _, region in ipairs(open) do
    region.share = all > 0 and region.share or region.waits
    local product, of = most * region.share, all > 0 and all or waits
    local full = math.floor(product / of)
    region.rest = math.floor(product % of * WHOLE / of) + math.floor(owed * region.share / of) + region.owed
    region.places = math.max(full + math.floor(region.rest / WHOLE), 0)
    region.rest = region.rest + (full - region.places) * WHOLE
    given = given + region.places
  end
  for _ = given + 1, most do
    take(next_of(open, true), 1)
  end
  for _ = most + 1, given do
    take(next_of(open, false), -1)
  end
end
-- How many of each of these lines go in, of at most this many: `part`; and what it is owed then: `owed`. What a line does not use is
-- split among the others.
local function divide(most, owed, lines)
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
    apportion(most, owed, open)
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
local function split(most)
  local fixed, free, together = {}, {}, { share = lanes.free, waits = 0, owed = 0 }
  for _, region in ipairs(lanes.beside) do
    region.waits, region.share = lanes.waiting_in(region), region.fixed
    table.insert(region.fixed and fixed or free, region)
    if not region.fixed and region.waits > 0 then
      together.waits, together.owed = together.waits + region.waits, together.owed + region.owed
    end
  end
  local owed = together.owed
  table.insert(fixed, together)
  divide(most, 0, fixed)
  share_out(free)
  divide(together.part, together.owed - owed, free)
end

return { split = split }
