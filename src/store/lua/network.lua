-- How many numbers one network may draw in an hour, which begins with the first of them, and what is done above that.
-- In an open room a number is no place in a line, so it is never held back.
network.most, network.rule = string.match(arg.bound or '', '^(%d+) (%a+)$')
function network.lets_draw()
  local known = redis.pcall('GET', key.network)
  local ends, many = string.match(type(known) == 'string' and known or '', '^(%d+) (%d+)$')
  ends, many = tonumber(ends or 0), tonumber(many or 0)
  if now >= ends or ends > now + TTL.network * 1000 then
    ends, many = now + TTL.network * 1000, 0
  end
  if many >= tonumber(network.most) then
    network.says = network.rule == 'on' and mode_now() ~= 'open' and 'challenged' or 'drawn'
  end
  if network.says == 'challenged' then
    return false
  end
  -- A key of another type is replaced.
  redis.call('SET', key.network, string.format('%d %d', ends, many + 1), 'EX', TTL.network)
  return true
end

return network
