import { createHash } from 'node:crypto';

/** A script that Redis runs as one atomic step. */
export interface Script {
  readonly lua: string;
  /** The name by which Redis knows the script once it has run. */
  readonly sha1: string;
}

/**
 * The sizes of a collection's keys as one text: the numbers of fields or members, in the order of the keys from
 * `KEYS[at]` on.
 */
export const SIZES = `
local SIZE = {'HLEN', 'HLEN', 'ZCARD'}
local function sizes(at)
  local found = {}
  for i = 1, #SIZE do found[i] = redis.call(SIZE[i], KEYS[at + i - 1]) end
  return table.concat(found, ' ')
end
local EMPTY = '0 0 0'
`;

export function script(...parts: readonly string[]): Script {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}
