-- permit: release so many at once; what nobody was there for is kept as credit.
-- ARGV[4] how many, ARGV[5] the most credit that is kept.
local amount, credit_max = tonumber(ARGV[4]), tonumber(ARGV[5])
open_period()
release()
local released = admit(amount)
credit = math.max(credit, math.min(credit_max, credit + amount - released))
save()
return answer(released)
