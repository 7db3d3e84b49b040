-- The world a script sees, as Redis 7 shows it: a few functions, nothing to write to.
-- What Redis has and this store lacks (coroutine, load, math.random, cmsgpack, …) is absent, so that
-- a script that needs it fails here first. Returns the environment and `run`.
local command, protected_command, sha1hex, cjson, words_of, line_of = ...
local raw_pcall = pcall

local function sealed(fields)
  return setmetatable({}, {
    __index = fields,
    __newindex = function() error("Attempt to modify a readonly table", 2) end,
    __metatable = false,
  })
end

local function without(library, ...)
  local kept = {}
  for name, value in pairs(library) do kept[name] = value end
  for _, name in ipairs({ ... }) do kept[name] = nil end
  return sealed(kept)
end

-- Redis puts the code ERR before a reply of one word and drops a leading dash.
local function error_reply(...)
  local text = ...
  if select("#", ...) ~= 1 or type(text) ~= "string" then
    return { err = "ERR wrong number or type of arguments" }
  end
  text = text:gsub("^%-", "")
  if not text:find(" ", 1, true) then text = "ERR " .. text end
  return { err = text }
end

local function status_reply(...)
  local text = ...
  if select("#", ...) ~= 1 or type(text) ~= "string" then
    return { err = "ERR wrong number or type of arguments" }
  end
  return { ok = text }
end

-- Whether a function of this store raised it. The only other userdata that a script can raise is cjson.null.
local function is_ours(err)
  return type(err) == "userdata" and err ~= cjson.null
end

-- A caught error is a string in Redis 7, also when a command raised it.
local function settle(ok, ...)
  if ok then return ok, ... end
  local err = ...
  if type(err) == "table" then return false, err.err end
  if is_ours(err) then return false, (words_of(err)) end
  return false, err
end

local world = setmetatable({
  redis = sealed({
    call = command,
    pcall = protected_command,
    sha1hex = sha1hex,
    error_reply = error_reply,
    status_reply = status_reply,
  }),
  cjson = sealed(cjson),
  math = without(math, "random", "randomseed"),
  string = without(string, "dump"),
  table = sealed(table),
  assert = assert,
  error = error,
  ipairs = ipairs,
  next = next,
  pairs = pairs,
  pcall = function(f, ...) return settle(raw_pcall(f, ...)) end,
  rawequal = rawequal,
  rawget = rawget,
  select = select,
  setmetatable = setmetatable,
  tonumber = tonumber,
  tostring = tostring,
  type = type,
  unpack = unpack,
}, {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
})

-- Runs where the error was raised, while the stack still tells the line.
local function explain(err)
  local line = line_of()
  if is_ours(err) then
    local words, has_code = words_of(err)
    return { has_code and words or "ERR " .. words, line }
  end
  if type(err) ~= "table" then return { "ERR " .. tostring(err), line } end
  return { type(err.err) == "string" and err.err or "ERR unknown error", line }
end

local function run(script, keys, arguments)
  world.KEYS, world.ARGV = keys, arguments
  local ok, value = xpcall(script, explain)
  if ok then return true, value end
  if type(value) ~= "table" then return false, "ERR " .. tostring(value) end
  return false, value[1], value[2]
end

return sealed(world), run
