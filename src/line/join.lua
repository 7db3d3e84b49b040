-- join: release what is due to those who wait, draw, release again into what budget is left.
open_period()
local position = arrive()
save()
return answer(position)
