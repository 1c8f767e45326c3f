import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle';
import { EventLog, FilterError } from '@app/stores/sqlite';
import { compileFilter } from './event-filter';

const random = new SystemRandom();
const MANY_STATES = '(a|b)*a(a|b){600}$';

describe('a filter', () => {
  let directory: string;
  let log: EventLog;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'event-filter-'));
    log = EventLog.open({ directory, clock: new SystemClock() });
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  const append = (stream: string, type: string) => {
    const nothing = new Uint8Array(0);
    return log.append(stream, 'any', [{ id: random.uuid(), type, isJson: false, data: nothing, metadata: nothing }]);
  };

  it.each(['stream', 'type'] as const)('of a costly expression on the %s gives way within a page', async (subject) => {
    for (let n = 0; n < 40; n += 1) await append(`${'ab'.repeat(200)}${n}`, `${'ba'.repeat(200)}${n}`);
    const filter = compileFilter({ subject, prefixes: [], regex: MANY_STATES });
    let pages = 0;
    let after = 0n;
    for (let isAtEnd = false; !isAtEnd; pages += 1) {
      const page = log.readAllPage({ after, filter, maxCount: 256 });
      expect(page.position).toBeGreaterThan(after);
      after = page.position;
      isAtEnd = page.caughtUp;
    }
    expect(pages).toBeGreaterThan(5);
  });

  it('is not asked about names without end', async () => {
    await append('a'.repeat(20_000), 'T');
    const filter = compileFilter({ subject: 'stream', prefixes: [], regex: '^a' });
    expect(() => log.readAllPage({ after: 0n, filter, maxCount: 10 })).toThrow(FilterError);
  });

  it('without prefixes and expression lets nothing through', async () => {
    await append('a-1', 'T');
    for (const subject of ['stream', 'type'] as const) {
      const filter = compileFilter({ subject, prefixes: [], regex: '' });
      expect(log.readAllPage({ after: 0n, filter, maxCount: 10 })).toMatchObject({
        events: [],
        position: 1n,
        caughtUp: true,
      });
    }
  });
});
