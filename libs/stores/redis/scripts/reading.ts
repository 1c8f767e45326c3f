import { script } from './script';

/**
 * The start of every script that reads the live version: if it is not the expected one, the answer contains its number.
 */
export const ACTIVE_ONLY = `
local call = redis.call
local active = call('HGET', KEYS[1], 'active')
if active ~= ARGV[1] then return {0, active or ''} end
`;

/**
 * KEYS: meta, lists, documents. ARGV: version, `asc` or `desc`, lower and upper bound, limit.
 * Returns members and documents alternately.
 */
export const PAGE = script(
  ACTIVE_ONLY,
  `
local members
if ARGV[2] == 'asc' then members = call('ZRANGEBYLEX', KEYS[2], ARGV[3], ARGV[4], 'LIMIT', 0, ARGV[5])
else members = call('ZREVRANGEBYLEX', KEYS[2], ARGV[4], ARGV[3], 'LIMIT', 0, ARGV[5]) end
local keys = {}
for i, member in ipairs(members) do
  -- The key follows the second NUL.
  local at = string.find(member, '\\0', string.find(member, '\\0', 1, true) + 1, true)
  local key = string.sub(member, at + 1)
  if string.find(key, '\\1', 1, true) then
    key = string.gsub(key, '\\1([abc])', {a = '\\0', b = '\\1', c = '\\2'})
  end
  keys[i] = key
end
local found = {1}
for from = 1, #keys, 1000 do
  for i, document in ipairs(call('HMGET', KEYS[3], unpack(keys, from, math.min(from + 999, #keys)))) do
    if document then
      found[#found + 1] = members[from + i - 1]
      found[#found + 1] = document
    end
  end
end
return found`,
);
