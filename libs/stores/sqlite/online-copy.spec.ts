import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryDirectory } from '@app/stores/testing/event-log/spec-log';
import { OnlineCopy } from './online-copy';

describe('a copy of a database in use', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let writer: DatabaseSync;
  const file = (name: string) => join(temporary.directory, name);
  const add = (count: number) => {
    const insert = writer.prepare('INSERT INTO notes (text) VALUES (?)');
    for (let note = 0; note < count; note += 1) insert.run('x'.repeat(2_000));
  };
  const countIn = (path: string) => {
    const database = new DatabaseSync(path);
    const { notes } = database.prepare('SELECT count(*) AS notes FROM notes').get()!;
    database.close();
    return notes;
  };

  beforeEach(() => {
    temporary = temporaryDirectory();
    writer = new DatabaseSync(file('notes.sqlite'));
    writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT); PRAGMA user_version = 7');
  });
  afterEach(() => {
    writer.close();
    temporary.remove();
  });

  it('shows the moment at which it was begun, however much is written during the copying', async () => {
    add(5_000);
    const copy = OnlineCopy.begin(file('notes.sqlite'));
    add(10);
    let steps = 0;
    await copy.writeTo(file('copy.sqlite'), () => {
      steps += 1;
      add(10);
      writer.exec('PRAGMA wal_checkpoint(PASSIVE)');
    });
    copy.close();
    expect(steps).toBeGreaterThan(1);
    expect(countIn(file('copy.sqlite'))).toBe(5_000);
    expect(countIn(file('notes.sqlite'))).toBe(5_010 + 10 * steps);
    const database = new DatabaseSync(file('copy.sqlite'));
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 7 });
    database.close();
  });

  it('leaves a single file that only its owner can access', async () => {
    const copy = OnlineCopy.begin(file('notes.sqlite'));
    await copy.writeTo(file('copy.sqlite'));
    copy.close();
    copy.close();
    expect(statSync(file('copy.sqlite')).mode & 0o777).toBe(0o600);
    expect(readdirSync(temporary.directory).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite']);
  });

  it('cannot be begun of a missing file, and does not create one', () => {
    expect(() => OnlineCopy.begin(file('nothing.sqlite'))).toThrow();
    expect(readdirSync(temporary.directory)).not.toContain('nothing.sqlite');
  });
});
