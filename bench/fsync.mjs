import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { median } from './numbers.mjs';

const APPENDS = 200;

/** What it costs to append 4 KiB and have it on disk, ms: the median of 200. */
export function fsyncCostMs(folder) {
  const file = openSync(join(folder, 'fsync-probe'), 'a', 0o600);
  const page = Buffer.alloc(4096, 1);
  const costs = Array.from({ length: APPENDS }, () => {
    const started = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  return median(costs);
}
