import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { WalCheckpointer } from './wal-checkpointer';
import { EventLog } from './event-log';
import { openLogDatabase } from './schema';
import { logEvents, systemClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

const MIB = 1024 * 1024;

describe('the checkpoints of the event log', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let file: string;
  beforeEach(() => {
    temporary = temporaryDirectory();
    file = join(temporary.directory, 'events.sqlite');
  });
  afterEach(() => temporary.remove());

  /** Each turn appends 1 MiB. */
  async function appendUntil(log: EventLog, done: (appended: number) => boolean): Promise<number> {
    let appended = 0;
    for (; !done(appended); appended += 1) {
      await log.append('a-1', 'any', [{ ...logEvents(1)[0]!, data: new Uint8Array(MIB) }]);
    }
    return appended;
  }

  it('go on beside the appends, keep the WAL bounded, and leave a sound file', async () => {
    const log = EventLog.open({ directory: temporary.directory, clock: systemClock });
    await appendUntil(log, () => statSync(file).size > 4 * MIB);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    await appendUntil(log, (appended) => appended === 160);
    expect(statSync(`${file}-wal`).size).toBeLessThan(100 * MIB);
    const { lastPosition } = log;
    await log.close();
    const database = new DatabaseSync(file, { readOnly: true });
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('SELECT count(*) AS events FROM events').get()).toEqual({ events: Number(lastPosition) });
    database.close();
  });

  it('fall back to the thread of the log when the helper fails', async () => {
    const database = openLogDatabase(file);
    const ownPages = () => Number((database.prepare('PRAGMA wal_autocheckpoint').get() as unknown as [bigint])[0]);
    const checkpointer = new WalCheckpointer(database, join(temporary.directory, 'nowhere', 'events.sqlite'));
    const unaided = ownPages();
    checkpointer.written(1_000, MIB);
    expect(ownPages()).toBeGreaterThan(unaided);
    while (ownPages() !== unaided) await new Promise((resolve) => setImmediate(resolve));
    checkpointer.written(1_000, MIB);
    await checkpointer.close();
    database.close();
  });
});
