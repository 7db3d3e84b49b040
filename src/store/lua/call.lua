-- What one call of the script brings.
-- ARGV[1] names the keys in their order; the other arguments are pairs of name and value.
-- Gives `arg`, the arguments by name, which are only read; `key`, the keys by name; `outboxes` and `marks`, the keys of which there may
-- be several; `now` in milliseconds and `minute`, the time by the store's clock; `TTL`.

local key, outboxes, marks = {}, {}, {}
local place = 0
for name in string.gmatch(ARGV[1], '%S+') do
  place = place + 1
  if name == 'outbox' then
    table.insert(outboxes, KEYS[place])
  elseif name == 'mark' then
    table.insert(marks, KEYS[place])
  else
    key[name] = KEYS[place]
  end
end
local arg = {}
for i = 2, #ARGV, 2 do
  arg[ARGV[i]] = ARGV[i + 1]
end

-- Seconds for which Redis keeps what is not touched. The line itself is kept for the argument `lifetime`, and at least
-- `live` when an operator has set something.
local TTL = {
  hour = 7200, month = 2592000, counts = 2592000, outbox = 604800, draw = 300, again = 86400, once = 86400, actions = 2592000, live = 2592000, pops = 180, network = 3600, paid = 7200,
}

-- The store's own clock decides, in milliseconds: the clock of a POP may be wrong. An argument replaces it in tests.
local now = tonumber(arg.now)
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

return { arg = arg, key = key, outboxes = outboxes, marks = marks, now = now, minute = math.floor(now / 60000), TTL = TTL }
