-- Where the line has regions, they are read before what counts their numbers too.
if stored.regions or arg.regions then
  use('regions')
end
