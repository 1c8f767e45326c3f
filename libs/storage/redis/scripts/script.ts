import { createHash } from 'node:crypto';

/** A script that Redis runs as one atomic step. */
export interface Script {
  readonly lua: string;
  /** By which Redis knows it once it has run. */
  readonly sha1: string;
}

export function script(...parts: readonly string[]): Script {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}
