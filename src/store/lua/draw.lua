-- How a number is drawn.

-- A repeated draw (its answer was lost) gets the same number as before, however often and for 300 s after the last time. A
-- closed room gives no new number: 0.
local function draw()
  local born, epoch, position = string.match(redis.call('GET', key.draw) or '', '^(%d+):(%d+):(%d+)$')
  local number = born and number_of({ born = tonumber(born), epoch = tonumber(epoch), position = tonumber(position) })
  if number then
    redis.call('EXPIRE', key.draw, TTL.draw)
    return number
  end
  if live.mode == 'closed' then
    return 0
  end
  count_draw()
  state.length, state.drawn = state.length + 1, state.drawn + 1
  local birth, own = named(state.length)
  redis.call('SET', key.draw, string.format('%d:%d:%d', birth, birth == state.born and state.epoch or 1, own), 'EX', TTL.draw)
  return state.length
end

-- Waiting visitors go first; then the number is drawn, and it may use what is left of the budget. A visitor who goes straight in
-- claims a session at once.
local function arrive()
  local number, last, is_same = claimed_before()
  if number then
    return number, is_same and last or -1
  end
  release()
  local position = draw()
  release()
  if position > 0 and position <= state.cursor then
    return position, claim(position)
  end
  return position
end
