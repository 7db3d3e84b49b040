-- What is known of the line besides.
local function figures(...)
  local told = answer(0, ...)
  for _, more in ipairs({ { 'bound', bound(), 'last_release', stored.release or '', 'recount', is_enforced() and is_recounting() and state.recount * 60000 or 0 },
    {
      'health', string.format('%d %d %d %d %d', state.sick_until, state.overruled, state.heard_ok, state.heard_late, state.heard_bad),
      'last_sickness', stored.sickness or '', 'window', use('window').written(),
    },
    { 'invited_in_all', state.invited, 'invited_now', state.invited_at == this_minute and state.invited_now or 0 }, { use('turnout').absence() } }) do
    for _, word in ipairs(more) do
      table.insert(told, word)
    end
  end
  return told
end

return figures
