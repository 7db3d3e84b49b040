-- join: release what is due to waiting visitors, draw, release again into what is left of the budget.
verbs.join = function()
  open_period()
  local position, last = arrive()
  save()
  return answer(position, 'claim', last)
end
