-- The script as it is put together for the store: its functions are local to it.
std = "lua51"
read_globals = { "redis", "cjson", "KEYS", "ARGV" }
max_line_length = false
