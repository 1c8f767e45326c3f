import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Identifies the program. */
export interface BuildInfo {
  readonly version: string;
  /** The commit that it was built from, with `-dirty` if files had been changed since; `unknown` if not recorded. */
  readonly commit: string;
}

/** Written by the build next to its output (`scripts/build.mjs`). */
const FILE = join(__dirname, '../../../build.json');

export const BUILD_INFO: BuildInfo = readBuildInfo(FILE);

/** Sources that were compiled in another way, as in specs, have no such file. */
export function readBuildInfo(file: string): BuildInfo {
  const unknown = { version: 'unknown', commit: 'unknown' };
  try {
    const { version, commit } = JSON.parse(readFileSync(file, 'utf8')) as Partial<BuildInfo>;
    return { version: version ?? unknown.version, commit: commit ?? unknown.commit };
  } catch {
    return unknown;
  }
}
