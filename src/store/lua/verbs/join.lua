-- join: release what is due to waiting visitors, draw, release again into what is left of the budget.
open_period()
local position, last = arrive(arg.lane)
save()
return answer(position, 'claim', last, 'above', network.says, 'price', network.price, 'invited', invitation.says, 'lane', front.says)
