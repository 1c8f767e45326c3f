import { script, SIZES } from './script';

// The fields of a projection's meta: `active`, `building` and `last` are version numbers; each version has
// `<number>:declared`, `:from` (or ''), `:started`, `:at` (its checkpoint), `:position` (of that, 20 digits), `:stop`,
// and for each of its collections `:held:<name>` (the sizes of its keys).

const COMMON = `
local meta, dead = KEYS[1], KEYS[2]

local function bury(version)
  if not version then return end
  redis.call('SADD', dead, version)
  local prefix = version .. ':'
  for _, field in ipairs(redis.call('HKEYS', meta)) do
    if string.sub(field, 1, #prefix) == prefix then redis.call('HDEL', meta, field) end
  end
end

local function tell(channel, message)
  redis.call('PUBLISH', channel, message)
end
`;

/**
 * KEYS: meta, dead. ARGV: `open`, `restart` or `build`; declared version; head or ''; now in ms; channel; message.
 * Returns all of meta, or an error's name.
 *
 * A version's number is the server's time in microseconds, or one more than the last, so that no number is ever reused,
 * even after everything was removed or an older copy of the data was restored.
 */
export const CREATE_VERSION = script(
  COMMON,
  `
local how = ARGV[1]
local state = redis.call('HMGET', meta, 'active', 'building', 'last')
local active, building, last = state[1], state[2], state[3]
if how == 'build' and not active then return 'not-open' end
if how == 'build' and building then return 'in-progress' end
if how ~= 'open' or not active then
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local version = string.format('%.0f', math.max(now, tonumber(last or '0') + 1))
  redis.call('HSET', meta, 'last', version, how == 'build' and 'building' or 'active', version,
    version .. ':declared', ARGV[2], version .. ':from', ARGV[3], version .. ':started', ARGV[4])
  if how == 'restart' then
    bury(active)
    bury(building)
    redis.call('HDEL', meta, 'building')
  end
  tell(ARGV[5], ARGV[6])
end
return redis.call('HGETALL', meta)`,
);

/**
 * KEYS: meta, dead; then per version: its collections, and three keys for each of them. ARGV: channel, message; then
 * per version: its number, the number of its collections, and their names. Returns all of meta.
 *
 * Abandons a version that has lost a key, a field or a member, by eviction or by hand. The version that is being built
 * then replaces a lost live one. Versions of an older release, without sizes, are not checked; nor is a version whose
 * collections differ from those the caller knows.
 */
export const LOOK = script(
  SIZES,
  COMMON,
  `
local function all()
  local flat, fields = redis.call('HGETALL', meta), {}
  for i = 1, #flat, 2 do fields[flat[i]] = flat[i + 1] end
  return flat, fields
end
local flat, fields = all()

local function hasLost(version, at, names)
  local prefix, held = version .. ':held:', 0
  for field in pairs(fields) do
    if string.sub(field, 1, #prefix) == prefix then held = held + 1 end
  end
  local counted = redis.call('SCARD', KEYS[at])
  if not fields[version .. ':from'] or counted ~= held then return true end
  if held > 0 and not (fields[version .. ':at'] and fields[version .. ':position']) then return true end
  if held ~= #names then return false end
  for i, name in ipairs(names) do
    local known = fields[prefix .. name]
    if known and known ~= sizes(at + #SIZE * (i - 1) + 1) then return true end
  end
  return false
end

local at, argument, lost = 3, 3, false
while ARGV[argument] do
  local version, names = ARGV[argument], {}
  for i = 1, tonumber(ARGV[argument + 1]) do names[i] = ARGV[argument + 1 + i] end
  local isLive = version == fields.active or version == fields.building
  if isLive and fields[version .. ':declared'] and hasLost(version, at, names) then
    bury(version)
    if version == fields.building then redis.call('HDEL', meta, 'building')
    elseif fields.building then
      redis.call('HSET', meta, 'active', fields.building)
      redis.call('HDEL', meta, 'building')
    else redis.call('HDEL', meta, 'active') end
    lost = true
    flat, fields = all()
  end
  at, argument = at + 1 + #SIZE * #names, argument + 2 + #names
end
if lost then tell(ARGV[1], ARGV[2]) end
return flat`,
);

/** KEYS: meta, dead. ARGV: version, channel, message. */
export const ACTIVATE = script(
  COMMON,
  `
local version = ARGV[1]
local state = redis.call('HMGET', meta, 'active', 'building', version .. ':from', version .. ':position')
local active, from, position = state[1], state[3], state[4]
if state[2] ~= version then return 'fenced' end
local live = active and redis.call('HGET', meta, active .. ':position')
-- Positions have twenty digits, so that they compare as text; as numbers they would not be exact.
local function reached(goal) return not goal or goal == '' or (position and position >= goal) end
if not reached(from) or not reached(live) then return 'behind' end
redis.call('HSET', meta, 'active', version)
redis.call('HDEL', meta, 'building')
bury(active)
tell(ARGV[2], ARGV[3])
return 'activated'`,
);

/** KEYS: meta, dead. ARGV: version, channel, message. */
export const ABANDON = script(
  COMMON,
  `
if redis.call('HGET', meta, 'building') ~= ARGV[1] then return 0 end
redis.call('SADD', dead, ARGV[1])
redis.call('HDEL', meta, 'building')
bury(ARGV[1])
tell(ARGV[2], ARGV[3])
return 1`,
);

/**
 * KEYS: dead, the version's collections, the keys of one of them. ARGV: version, that collection's name.
 * The keys are unlinked at once and freed by a background thread of the server.
 */
export const REMOVE_COLLECTION = script(`
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('UNLINK', unpack(KEYS, 3))
redis.call('SREM', KEYS[2], ARGV[2])
return 1`);
