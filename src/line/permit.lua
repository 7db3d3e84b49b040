-- permit: release so many at once; what nobody was there for is kept as credit.
-- ARGV[6] how many, ARGV[7] the most credit that is kept.
local amount, credit_max = tonumber(ARGV[6]), tonumber(ARGV[7])
open_period()
release()
local released = admit(amount)
credit = math.max(credit, math.min(credit_max, credit + amount - released))
save()
return answer(released)
