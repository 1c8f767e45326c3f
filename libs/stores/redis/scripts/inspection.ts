import { script } from './script';

/** The answer begins with the position of the version's checkpoint, or is empty if the version is not the live one. */
const AT_CHECKPOINT = `
local call = redis.call
local state = call('HMGET', KEYS[1], 'active', ARGV[1] .. ':position')
if state[1] ~= ARGV[1] then return {} end
local answer = {state[2] or ''}
`;

/**
 * KEYS: meta, documents, places, lists. ARGV: version, keys. Returns for each key: the document, its list entries, and
 * those of them that are missing from the lists.
 */
export const INSPECT_DOCUMENTS = script(
  AT_CHECKPOINT,
  `
for i = 2, #ARGV do
  local key = ARGV[i]
  local entries = call('HGET', KEYS[3], key) or ''
  local behind = '\\0' .. string.gsub(key, '[%z\\1\\2]', {['\\0'] = '\\1a', ['\\1'] = '\\1b', ['\\2'] = '\\1c'})
  local unlisted = {}
  for entry in string.gmatch(entries, '[^\\2]+') do
    if not call('ZSCORE', KEYS[4], entry .. behind) then unlisted[#unlisted + 1] = entry end
  end
  answer[#answer + 1] = call('HGET', KEYS[2], key)
  answer[#answer + 1] = entries
  answer[#answer + 1] = table.concat(unlisted, '\\2')
end
return answer`,
);

/** KEYS: meta, documents. ARGV: version, cursor, about how many. Returns the next cursor and keys. */
export const INSPECT_KEYS = script(
  AT_CHECKPOINT,
  `
local scanned = call('HSCAN', KEYS[2], ARGV[2], 'COUNT', ARGV[3])
answer[2] = scanned[1]
for i = 1, #scanned[2], 2 do answer[#answer + 1] = scanned[2][i] end
return answer`,
);

/** KEYS: meta, lists. ARGV: version, lower bound, limit. Returns members. */
export const INSPECT_ENTRIES = script(
  AT_CHECKPOINT,
  `
for _, member in ipairs(call('ZRANGEBYLEX', KEYS[2], ARGV[2], '+', 'LIMIT', 0, ARGV[3])) do
  answer[#answer + 1] = member
end
return answer`,
);
