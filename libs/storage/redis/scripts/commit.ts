import { EXTRAS } from './extras';
import { script, SIZES } from './script';

/**
 * KEYS: meta, the version's collections, then nine keys for each collection that is written to.
 * ARGV: version; declared version; expected checkpoint or ''; next one; its position; channel; message; then for each collection:
 * its name; how many documents are set; how many removed; whether extras follow; keys and bodies; removed keys; extras of
 * what is set.
 *
 * Extras: see `EXTRAS`.
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
local state = call('HMGET', KEYS[1], 'active', 'building', version .. ':declared', version .. ':at')
if (state[1] ~= version and state[2] ~= version) or state[3] ~= ARGV[2] or (state[4] or '') ~= ARGV[3] then return 0 end

local function inChunks(command, key, list)
  for from = 1, #list, CHUNK do call(command, key, unpack(list, from, math.min(from + CHUNK - 1, #list))) end
end
`,
  EXTRAS,
  `
-- Takes documents out of where they stood and puts them where they stand; whatever has not changed stays.
local function place(at, keys, extras)
  local documents, extra, lists, due, items = KEYS[at], KEYS[at + 1], KEYS[at + 2], KEYS[at + 3], KEYS[at + 4]
  local outOf, into, forget, keep, offList, onList = {}, {}, {}, {}, {}, {}
  local notDue, nowDue, promised, anchored, touched = {}, {}, {}, {}, {}
  local had = call('EXISTS', extra) == 1
  for from = 1, #keys, CHUNK do
    local to = math.min(from + CHUNK - 1, #keys)
    local before = had and call('HMGET', extra, unpack(keys, from, to)) or {}
    for i = from, to do
      local key, old, new = keys[i], before[i - from + 1] or '', extras[i] or ''
      if old ~= new then
        if new == '' then forget[#forget + 1] = key
        else
          keep[#keep + 1] = key
          keep[#keep + 1] = new
        end
        local was, is = old == '' and {'', '', ''} or parts(old), new == '' and {'', '', ''} or parts(new)
        local escaped = escapedKey(key)
        local stays = {}
        for p = 4, #is do stays[is[p]] = true end
        for p = 4, #was do
          if stays[was[p]] then stays[was[p]] = false else outOf[#outOf + 1] = was[p] .. '\\0' .. escaped end
        end
        for p = 4, #is do
          if stays[is[p]] then
            into[#into + 1] = 0
            into[#into + 1] = is[p] .. '\\0' .. escaped
          end
        end
        if was[1] ~= is[1] or was[2] ~= is[2] then
          if was[1] ~= '' then
            touched[was[2]] = was[3]
            offList[#offList + 1] = was[2] .. '\\0' .. dueOf(was[1]) .. '\\0' .. escaped
            if is[1] == '' then notDue[#notDue + 1] = key end
            if anchorOf(was[1]) ~= '' and anchorOf(is[1]) == '' then promised[#promised + 1] = key end
          end
          if is[1] ~= '' then
            touched[is[2]] = is[3]
            onList[#onList + 1] = 0
            onList[#onList + 1] = is[2] .. '\\0' .. dueOf(is[1]) .. '\\0' .. escaped
            nowDue[#nowDue + 1] = tonumber(dueOf(is[1]))
            nowDue[#nowDue + 1] = key
            if anchorOf(is[1]) ~= '' then
              anchored[#anchored + 1] = tonumber(anchorOf(is[1]))
              anchored[#anchored + 1] = key
            end
          end
        end
      end
    end
  end
  inChunks('HDEL', extra, forget)
  inChunks('HSET', extra, keep)
  inChunks('ZREM', lists, outOf)
  inChunks('ZADD', lists, into)
  inChunks('ZREM', due, notDue)
  inChunks('ZADD', due, nowDue)
  inChunks('ZREM', KEYS[at + 8], promised)
  inChunks('ZADD', KEYS[at + 8], anchored)
  inChunks('ZREM', items, offList)
  inChunks('ZADD', items, onList)
  if next(touched) then settle(items, KEYS[at + 5], KEYS[at + 6], KEYS[at + 7], touched) end
end

-- Where each collection's arguments begin.
local begins, argument = {}, 8
for at = 3, #KEYS, #SIZE do
  begins[at] = argument
  local held = call('HGET', KEYS[1], version .. ':held:' .. ARGV[argument]) or EMPTY
  if held ~= sizes(at) then return 0 end
  local sets, removals = tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  argument = argument + 4 + 2 * sets + removals + (ARGV[argument + 3] == '1' and sets or 0)
end
local facts = {version .. ':at', ARGV[4], version .. ':position', ARGV[5]}
for at = 3, #KEYS, #SIZE do
  local argument = begins[at]
  local name, sets, removals = ARGV[argument], tonumber(ARGV[argument + 1]), tonumber(ARGV[argument + 2])
  local extrasFollow = ARGV[argument + 3] == '1'
  call('SADD', KEYS[2], name)
  local first = argument + 4
  local gone = first + 2 * sets
  argument = gone + removals
  local keys, extras, removed = {}, {}, {}
  for i = 1, sets do keys[i] = ARGV[first + 2 * i - 2] end
  for i = 1, removals do
    keys[sets + i] = ARGV[gone + i - 1]
    removed[i] = ARGV[gone + i - 1]
  end
  if extrasFollow then
    for i = 1, sets do extras[i] = ARGV[argument + i - 1] end
  end
  for from = first, gone - 1, CHUNK do
    call('HSET', KEYS[at], unpack(ARGV, from, math.min(from + CHUNK - 1, gone - 1)))
  end
  inChunks('HDEL', KEYS[at], removed)
  if extrasFollow or call('EXISTS', KEYS[at + 1]) == 1 then place(at, keys, extras) end
  facts[#facts + 1] = version .. ':held:' .. name
  facts[#facts + 1] = sizes(at)
end
call('HSET', KEYS[1], unpack(facts))
call('PUBLISH', ARGV[6], ARGV[7])
return 1`,
);
