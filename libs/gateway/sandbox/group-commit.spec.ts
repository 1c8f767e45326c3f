import { DatabaseSync } from 'node:sqlite';

import { AssertionFailedError } from '@app/event-sourcing';

import { GatewayOutcomeUnknownError, GatewayUnavailableError } from '../port';
import { GroupCommit } from './group-commit';

describe('a group commit', () => {
  let db: DatabaseSync;
  let writes: GroupCommit;

  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    db.exec(`CREATE TABLE acts (name TEXT PRIMARY KEY);
             CREATE TABLE notes (name TEXT REFERENCES acts DEFERRABLE INITIALLY DEFERRED)`);
    writes = new GroupCommit(db);
  });
  afterEach(() => {
    db.close();
  });

  const add = (name: string) => () => db.prepare('INSERT INTO acts VALUES (?)').run(name).changes;
  const names = () =>
    db
      .prepare('SELECT name FROM acts ORDER BY name')
      .all()
      .map((row) => row['name']);

  it('answers no act before all of its turn are on disk', async () => {
    const open: boolean[] = [];
    await Promise.all(['a', 'b', 'c'].map((name) => writes.run(add(name)).then(() => open.push(db.isTransaction))));
    expect(open).toEqual([false, false, false]);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('syncs a transaction to the disk as soon as one of its acts asks for that', async () => {
    const synced: unknown[] = [];
    const look = () => synced.push(Object.values(db.prepare('PRAGMA synchronous').get() ?? {})[0]);
    const [NORMAL, FULL] = [1, 2];
    await writes.run(look, 'outlives-the-process');
    await writes.run(look);
    await Promise.all([writes.run(look, 'outlives-the-process'), writes.run(look)]);
    await writes.run(look, 'outlives-the-process');
    expect(synced).toEqual([NORMAL, FULL, FULL, FULL, NORMAL]);
  });

  it('refuses a caller’s bug alone', async () => {
    const outcomes = await Promise.allSettled([
      writes.run(add('a')),
      writes.run(() => {
        throw new AssertionFailedError('a bug');
      }),
      writes.run(add('b')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(names()).toEqual(['a', 'b']);
  });

  it('undoes all acts of the transaction in which one cannot be written', async () => {
    const acts = ['a', 'b', 'a'].map((name) => writes.run(add(name)));
    for (const outcome of await Promise.allSettled(acts)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(GatewayUnavailableError) });
    }
    expect(names()).toEqual([]);
    await writes.run(add('a'));
    expect(names()).toEqual(['a']);
  });

  it('calls the outcome unknown when the commit fails', async () => {
    const dangling = () => db.prepare('INSERT INTO notes VALUES (?)').run('of no act');
    await expect(writes.run(dangling)).rejects.toThrow(GatewayOutcomeUnknownError);
    await writes.run(add('a'));
    expect(names()).toEqual(['a']);
  });

  it('tells of every transaction whether it was written', async () => {
    const told: boolean[] = [];
    const telling = new GroupCommit(db, (written) => told.push(written));
    await telling.run(add('a'));
    await expect(telling.run(add('a'))).rejects.toThrow(GatewayUnavailableError);
    const dangling = () => db.prepare('INSERT INTO notes VALUES (?)').run('of no act');
    await expect(telling.run(dangling)).rejects.toThrow(GatewayOutcomeUnknownError);
    await telling.run(add('b'));
    expect(told).toEqual([true, false, false, true]);
  });

  it('takes 10,000 acts at a time, and more once they are done', async () => {
    let done = 0;
    const act = () => (done += 1);
    const acts = Array.from({ length: 10_001 }, () => writes.run(act));
    await expect(acts.pop()).rejects.toThrow(GatewayUnavailableError);
    expect((await Promise.all(acts)).at(-1)).toBe(10_000);
    expect(await writes.run(act)).toBe(10_001);
  });
});
