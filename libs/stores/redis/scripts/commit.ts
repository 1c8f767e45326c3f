import { script, SIZES } from './script';

/**
 * KEYS: meta, the version's collections, then three keys for each collection that is written to.
 * ARGV: version; declared version; expected checkpoint or ''; next one or ''; its position; channel; message; stop or ''; then for
 * each collection: its name; how many documents are set; how many removed; whether entries follow; keys and bodies; removed keys;
 * the entries of what is set.
 *
 * The entries of a document, `<list> NUL <order>` separated by `\x02`, are remembered with it, so that its next write takes it out of
 * where it stood.
 *
 * Of each collection it is kept how much each of its keys holds, so that a loss is noticed. A commit to one that has lost something
 * is refused: it would count what is left as all there is.
 *
 * A full server refuses the first command that takes memory, so that one comes first; once it is let through, the whole
 * script is. The checkpoint is written last: if a script ever broke off, its writes, which are absolute, are written again.
 */
export const COMMIT = script(
  SIZES,
  `
local CHUNK = 1000
local call = redis.call
local version = ARGV[1]
local state = call('HMGET', KEYS[1], 'active', 'building', version .. ':declared', version .. ':at', version .. ':stop')
if (state[1] ~= version and state[2] ~= version) or state[3] ~= ARGV[2] or (state[4] or '') ~= ARGV[3] then return 0 end

local function inChunks(command, key, list)
  for from = 1, #list, CHUNK do call(command, key, unpack(list, from, math.min(from + CHUNK - 1, #list))) end
end

local function parts(text)
  local found, from = {}, 1
  while from <= #text do
    local at = string.find(text, '\\2', from, true) or #text + 1
    found[#found + 1] = string.sub(text, from, at - 1)
    from = at + 1
  end
  return found
end

local function escapedKey(key)
  if not string.find(key, '[%z\\1\\2]') then return key end
  return (string.gsub(key, '[%z\\1\\2]', {['\\0'] = '\\1a', ['\\1'] = '\\1b', ['\\2'] = '\\1c'}))
end

-- Takes documents out of where they stood and puts them where they stand; whatever has not changed stays.
local function list(at, keys, entries)
  local remembered, lists = KEYS[at + 1], KEYS[at + 2]
  local outOf, into, forget, keep = {}, {}, {}, {}
  local had = call('EXISTS', remembered) == 1
  for from = 1, #keys, CHUNK do
    local to = math.min(from + CHUNK - 1, #keys)
    local before = had and call('HMGET', remembered, unpack(keys, from, to)) or {}
    for i = from, to do
      local key, old, new = keys[i], before[i - from + 1] or '', entries[i] or ''
      if old ~= new then
        if new == '' then forget[#forget + 1] = key
        else
          keep[#keep + 1] = key
          keep[#keep + 1] = new
        end
        local was, is, behind, stays = parts(old), parts(new), '\\0' .. escapedKey(key), {}
        for _, each in ipairs(is) do stays[each] = true end
        for _, each in ipairs(was) do
          if stays[each] then stays[each] = false else outOf[#outOf + 1] = each .. behind end
        end
        for _, each in ipairs(is) do
          if stays[each] then
            into[#into + 1] = 0
            into[#into + 1] = each .. behind
          end
        end
      end
    end
  end
  inChunks('HDEL', remembered, forget)
  inChunks('HSET', remembered, keep)
  inChunks('ZREM', lists, outOf)
  inChunks('ZADD', lists, into)
end

-- Where each collection's arguments begin.
local begins, argument = {}, 9
for at = 3, #KEYS, #SIZE do
  begins[at] = argument
  local held = call('HGET', KEYS[1], version .. ':held:' .. ARGV[argument]) or EMPTY
  if held ~= sizes(at) then return 0 end
  local sets, removals = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  argument = argument + 4 + 2 * sets + removals + (ARGV[argument + 3] == '1' and sets or 0)
end
local facts = {}
for at = 3, #KEYS, #SIZE do
  local argument = begins[at]
  local name, sets, removals = ARGV[argument], tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local entriesFollow = ARGV[argument + 3] == '1'
  call('SADD', KEYS[2], name)
  local first = argument + 4
  local gone = first + 2 * sets
  argument = gone + removals
  local keys, entries, removed = {}, {}, {}
  for i = 1, sets do keys[i] = ARGV[first + 2 * i - 2] end
  for i = 1, removals do
    keys[sets + i] = ARGV[gone + i - 1]
    removed[i] = ARGV[gone + i - 1]
  end
  if entriesFollow then
    for i = 1, sets do entries[i] = ARGV[argument + i - 1] end
  end
  for from = first, gone - 1, CHUNK do
    call('HSET', KEYS[at], unpack(ARGV, from, math.min(from + CHUNK - 1, gone - 1)))
  end
  inChunks('HDEL', KEYS[at], removed)
  if entriesFollow or call('EXISTS', KEYS[at + 1]) == 1 then list(at, keys, entries) end
  facts[#facts + 1] = version .. ':held:' .. name
  facts[#facts + 1] = sizes(at)
end
if ARGV[4] ~= ARGV[3] then
  for _, fact in ipairs({version .. ':at', ARGV[4], version .. ':position', ARGV[5]}) do facts[#facts + 1] = fact end
end
if ARGV[8] ~= '' then
  facts[#facts + 1] = version .. ':stop'
  facts[#facts + 1] = ARGV[8]
end
if #facts > 0 then call('HSET', KEYS[1], unpack(facts)) end
if state[5] and ARGV[8] == '' then call('HDEL', KEYS[1], version .. ':stop') end
call('PUBLISH', ARGV[6], ARGV[7])
return 1`,
);
