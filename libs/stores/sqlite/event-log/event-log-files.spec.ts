import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EventLogFormatError, EventLogInUseError } from './errors';
import { EventLog } from './event-log';
import { SCHEMA_VERSION } from './schema';
import { logEvents, systemClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

describe("the event log's files", () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  const open = (directory = temporary.directory) => EventLog.open({ directory, clock: systemClock });
  const file = () => join(temporary.directory, 'events.sqlite');
  const change = (sql: string) => {
    const database = new DatabaseSync(file());
    database.exec(sql);
    database.close();
  };

  beforeEach(() => {
    temporary = temporaryDirectory();
  });
  afterEach(() => temporary.remove());

  it('are accessible to their owner only, as are the directories created for them', async () => {
    const directory = join(temporary.directory, 'some', 'where');
    const log = open(directory);
    await log.append('a-1', 'no-stream', logEvents(1));
    const modes = readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mode & 0o777]);
    expect(Object.fromEntries(modes)).toEqual({
      'events.sqlite': 0o600,
      'events.sqlite-shm': 0o600,
      'events.sqlite-wal': 0o600,
      'lock.sqlite': 0o600,
    });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    await log.close();
  });

  it('have one owner process: a second is refused with the lock’s name, until the first is closed', async () => {
    const first = open();
    expect(open).toThrow(EventLogInUseError);
    expect(open).toThrow(join(temporary.directory, 'lock.sqlite'));
    // The refusal did not release the first one's lock.
    expect(open).toThrow(EventLogInUseError);
    await first.append('a-1', 'no-stream', logEvents(1));
    await first.close();
    const second = open();
    expect(await second.readStream('a-1')).toHaveLength(1);
    await second.close();
  });

  it('of a newer version are refused and left unchanged, and the lock is released', async () => {
    await open().close();
    change(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    expect(open).toThrow(EventLogFormatError);
    expect(open).toThrow(`schema version ${SCHEMA_VERSION + 1}`);
    change(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    await open().close();
  });

  it('of another kind are refused', () => {
    change('CREATE TABLE notes (text TEXT)');
    expect(open).toThrow('another kind of database');
  });

  it('that are not a database are refused', () => {
    writeFileSync(file(), 'no database at all, but a text that is long enough to be looked at'.repeat(20));
    expect(open).toThrow(EventLogFormatError);
  });
});
