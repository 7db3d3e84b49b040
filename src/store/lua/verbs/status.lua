-- status: read, change nothing.
return use('figures')()
