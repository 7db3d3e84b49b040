-- status: read, change nothing.
return answer(0)
