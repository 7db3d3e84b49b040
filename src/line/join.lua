-- join: release what is due to those who wait, draw, release again into what budget is left.
open_period()
release()
local position = draw()
release()
save()
return answer(position)
