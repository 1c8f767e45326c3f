import { EXTRAS } from './extras';
import { ACTIVE_ONLY } from './reading';
import { script } from './script';

/** Looks at `count` claims at once. */
const CLAIMS = `
local CHUNK = 128

-- For each of the keys when its lease ends; 0 where nobody ever held it.
local function leaseEnds(claims, keys)
  if #keys == 0 then return {} end
  local ends = call('ZMSCORE', claims, unpack(keys))
  for i = 1, #keys do ends[i] = tonumber(ends[i] or '0') end
  return ends
end

local function keyOf(member, from)
  local key = string.sub(member, from)
  if not string.find(key, '\\1', 1, true) then return key end
  return (string.gsub(key, '\\1([abc])', {a = '\\0', b = '\\1', c = '\\2'}))
end
`;

/**
 * KEYS: meta, documents, due, items, claims' ends, claims' owners. ARGV: version; now; limit; owner; end of the lease; how old
 * an ended claim may be; the escaped group where only its items are wanted. Returns keys and documents in turn.
 *
 * Items that are held stand in the way until their leases end: what is looked at is bounded by those and the limit.
 */
export const CLAIM = script(
  ACTIVE_ONLY,
  CLAIMS,
  `
local now, limit, group = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[7]
local keys = {}
local function take(candidates)
  local ends = leaseEnds(KEYS[5], candidates)
  for i, key in ipairs(candidates) do
    if ends[i] <= now and #keys < limit then keys[#keys + 1] = key end
  end
end
if group then
  local from = '[' .. group .. '\\0'
  local to = '(' .. group .. '\\0' .. string.format('%016.0f', now + 1)
  while #keys < limit do
    local members = call('ZRANGEBYLEX', KEYS[4], from, to, 'LIMIT', 0, CHUNK)
    local candidates = {}
    for i, member in ipairs(members) do candidates[i] = keyOf(member, #group + 19) end
    take(candidates)
    if #members < CHUNK then break end
    from = '(' .. members[#members]
  end
else
  local offset = 0
  while #keys < limit do
    local candidates = call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[2], 'LIMIT', offset, CHUNK)
    take(candidates)
    if #candidates < CHUNK then break end
    offset = offset + CHUNK
  end
end
if #keys == 0 then return {1} end
local found = {1}
for _, key in ipairs(keys) do
  call('ZADD', KEYS[5], ARGV[5], key)
  call('HSET', KEYS[6], key, ARGV[4])
  found[#found + 1] = key
  found[#found + 1] = call('HGET', KEYS[2], key)
end
local ended = call('ZRANGEBYSCORE', KEYS[5], '-inf', ARGV[6], 'LIMIT', 0, 1000)
if #ended > 0 then
  call('ZREM', KEYS[5], unpack(ended))
  call('HDEL', KEYS[6], unpack(ended))
end
return found`,
);

/**
 * KEYS: meta, extras, due, items, groups, owners, earliest, waits, claims' ends, claims' owners. ARGV: version; wall time; settled time;
 * beyond which a claim is void. Makes due what waits in vain and frees what is held in vain, some of it at once; says of how much.
 */
export const END_VOID_WAITS = script(
  ACTIVE_ONLY,
  EXTRAS,
  `
local keys = call('ZRANGEBYSCORE', KEYS[8], '(' .. ARGV[3], '+inf', 'LIMIT', 0, 200)
for _, key in ipairs(call('ZRANGEBYSCORE', KEYS[8], '-inf', '(-' .. ARGV[2], 'LIMIT', 0, 200)) do
  keys[#keys + 1] = key
end
local due, touched = string.format('%016.0f', tonumber(ARGV[3])), {}
for _, key in ipairs(keys) do
  local extra = call('HGET', KEYS[2], key)
  call('ZREM', KEYS[8], key)
  -- What an eviction took is no reason to stand still.
  if extra then
    local is = parts(extra)
    local from, to = is[2] .. '\\0' .. dueOf(is[1]), is[2] .. '\\0' .. due
    call('ZREM', KEYS[4], from .. '\\0' .. escapedKey(key))
    call('ZADD', KEYS[4], 0, to .. '\\0' .. escapedKey(key))
    call('ZADD', KEYS[3], ARGV[3], key)
    call('ZADD', KEYS[8], ARGV[3], key)
    is[1] = due .. ARGV[3]
    call('HSET', KEYS[2], key, table.concat(is, '\\2'))
    touched[is[2]] = is[3]
  end
end
if next(touched) then settle(KEYS[4], KEYS[5], KEYS[6], KEYS[7], touched) end
local held = call('ZRANGEBYSCORE', KEYS[9], '(' .. ARGV[4], '+inf', 'LIMIT', 0, 1000)
if #held > 0 then
  call('ZREM', KEYS[9], unpack(held))
  call('HDEL', KEYS[10], unpack(held))
end
return {1, tostring(#keys + #held)}`,
);

/** KEYS: meta, due, claims' ends. ARGV: version. The first item that is not held ends the search, or the first lease to end. */
export const NEXT_DUE = script(
  ACTIVE_ONLY,
  CLAIMS,
  `
local best, offset = nil, 0
while true do
  local page = call('ZRANGE', KEYS[2], offset, offset + CHUNK - 1, 'WITHSCORES')
  local keys = {}
  for i = 1, #page, 2 do keys[#keys + 1] = page[i] end
  local ends = leaseEnds(KEYS[3], keys)
  for i = 1, #keys do
    local due = tonumber(page[2 * i])
    if best and best <= due then return {1, string.format('%.0f', best)} end
    local at = math.max(due, ends[i])
    if not best or at < best then best = at end
  end
  if #keys < CHUNK then return {1, best and string.format('%.0f', best) or ''} end
  offset = offset + CHUNK
end`,
);

/** KEYS: claims' ends, claims' owners. ARGV: owner, new end of the leases, keys. Returns the keys that the owner holds. */
export const RENEW = script(`
local kept = {}
for i = 3, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[1] then
    redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[i])
    kept[#kept + 1] = ARGV[i]
  end
end
return kept`);

/** KEYS: claims' ends, claims' owners. ARGV: owner, keys. */
export const RELEASE = script(`
for i = 2, #ARGV do
  if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[1] then
    redis.call('ZREM', KEYS[1], ARGV[i])
    redis.call('HDEL', KEYS[2], ARGV[i])
  end
end
return 1`);

/**
 * KEYS: meta, items, groups, owners, claims' ends. ARGV: version, now, limit, at most so many of one owner. Returns escaped groups.
 *
 * Owners stand in the order of their earliest items, held or not, and so do the groups of one owner. Nothing further down
 * can have waited longer than the place says, so that the search ends when enough are found that waited as long.
 */
export const DUE_GROUPS = script(
  ACTIVE_ONLY,
  CLAIMS,
  `
local now, limit, perOwner = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local dueBy = string.format('%016.0f', now + 1)
local function longestFirst(one, other) return one.since < other.since end

-- Since when the group waits: when its first item fell due that nobody holds; nil where it doesn't.
local function since(group)
  local from, chunk = '[' .. group .. '\\0', 4
  while true do
    local members = call('ZRANGEBYLEX', KEYS[2], from, '(' .. group .. '\\0' .. dueBy, 'LIMIT', 0, chunk)
    local keys = {}
    for i, member in ipairs(members) do keys[i] = keyOf(member, #group + 19) end
    local ends = leaseEnds(KEYS[5], keys)
    for i, member in ipairs(members) do
      if ends[i] <= now then return tonumber(string.sub(member, #group + 2, #group + 17)) end
    end
    if #members < chunk then return nil end
    from, chunk = '(' .. members[#members], CHUNK
  end
end

-- Gives an owner's waiting groups one after another, the longest waiting first.
local function groupsOf(owner)
  local from, chunk, waiting, page, at, ended = '[' .. owner .. '\\0', 2, {}, {}, 1, false
  local function nextPlace()
    if at > #page and not ended then
      page = call('ZRANGEBYLEX', KEYS[3], from, '(' .. owner .. '\\0' .. dueBy, 'LIMIT', 0, chunk)
      at, ended = 1, #page < chunk
      if #page > 0 then from = '(' .. page[#page] end
      chunk = math.min(2 * chunk, CHUNK)
    end
    return page[at]
  end
  return function()
    while true do
      local place = nextPlace()
      local earliest = place and tonumber(string.sub(place, #owner + 2, #owner + 17))
      if waiting[1] and (not earliest or waiting[1].since <= earliest) then return table.remove(waiting, 1) end
      if not place then return nil end
      at = at + 1
      local group = string.sub(place, #owner + 19)
      local time = since(group)
      if time then
        local i = #waiting + 1
        while i > 1 and waiting[i - 1].since > time do i = i - 1 end
        table.insert(waiting, i, {group = group, since = time})
      end
    end
  end
end

local turn, offset = {}, 0
while true do
  local page = call('ZRANGEBYSCORE', KEYS[4], '-inf', ARGV[2], 'WITHSCORES', 'LIMIT', offset, CHUNK)
  local last
  for i = 1, #page, 2 do
    local following = groupsOf(page[i])
    local first = following()
    last = tonumber(page[i + 1])
    if first then turn[#turn + 1] = {group = first.group, since = first.since, following = following} end
  end
  if #page < 2 * CHUNK then break end
  table.sort(turn, longestFirst)
  if turn[limit] and turn[limit].since <= last then break end
  offset = offset + CHUNK
end
local found, round = {1}, 1
while #turn > 0 and round <= perOwner do
  table.sort(turn, longestFirst)
  local after = {}
  for _, each in ipairs(turn) do
    if #found > limit then return found end
    found[#found + 1] = each.group
  end
  if #found > limit then return found end
  for _, each in ipairs(turn) do
    local following = each.following()
    if following then
      after[#after + 1] = {group = following.group, since = following.since, following = each.following}
    end
  end
  turn, round = after, round + 1
end
return found`,
);
