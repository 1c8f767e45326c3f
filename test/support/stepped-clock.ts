import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const PRELOADED = pathToFileURL(join(__dirname, 'clock-preload.mjs')).href;
/** All threads of a process check every 10 ms. */
const SEEN_AFTER_MS = 200;

/** The wall clocks of real processes, each of which can be set while it runs; their monotonic clocks are unaffected. */
export class SteppedClocks {
  private readonly directory = mkdtempSync(join(tmpdir(), 'counterfoil-clocks-'));

  /** The environment that the processes are started with. */
  get env(): Readonly<Record<string, string>> {
    return { NODE_OPTIONS: `--import=${PRELOADED}`, STEPPED_CLOCKS: this.directory };
  }

  /** Resolves when all processes of the programs show a time `ms` ahead of the machine's, or behind it if negative. */
  async set(ms: number, ...programs: readonly string[]): Promise<void> {
    for (const program of programs) {
      const file = join(this.directory, program);
      writeFileSync(`${file}.new`, String(ms));
      renameSync(`${file}.new`, file);
    }
    await sleep(SEEN_AFTER_MS);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
