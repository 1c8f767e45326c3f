import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { RecordedEvent } from '@app/event-sourcing';
import { EmbeddedEventStore } from './embedded-event-store';
import { EventLogInUseError } from './errors';
import { systemClock, temporaryDirectory } from '@app/stores/testing/event-log/spec-log';

/** An append that the killed process had acknowledged. */
interface Acknowledged {
  readonly streamId: string;
  readonly revision: number;
  readonly position: string;
  readonly ids: readonly string[];
}

const EVENTS_PER_APPEND = 3;

describe('the event log of a process killed by SIGKILL', () => {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let children: ChildProcessByStdio<null, Readable, null>[];
  const open = () => EmbeddedEventStore.open({ directory: temporary.directory, clock: systemClock });

  beforeEach(() => {
    temporary = temporaryDirectory();
    children = [];
  });
  afterEach(async () => {
    await Promise.all(children.map(kill));
    temporary.remove();
  });

  function start(...args: string[]): ChildProcessByStdio<null, Readable, null> {
    const script = join(__dirname, '..', '..', 'testing', 'event-log', 'append-until-killed.cjs');
    const child = spawn(process.execPath, [script, temporary.directory, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    return child;
  }

  async function kill(child: ChildProcessByStdio<null, Readable, null>): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Runs the child until it has acknowledged this many appends, kills it, and returns what it acknowledged. */
  async function killAfter(count: number): Promise<Acknowledged[]> {
    const child = start();
    const acknowledged: Acknowledged[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{') && line.endsWith('}')) acknowledged.push(JSON.parse(line) as Acknowledged);
      if (acknowledged.length === count) child.kill('SIGKILL');
    }
    await kill(child);
    expect(child.signalCode).toBe('SIGKILL');
    return acknowledged;
  }

  async function readEverything(): Promise<Map<string, RecordedEvent>> {
    const store = open();
    const filter = { streamPrefixes: [''] };
    const { events } = await store.readAll({ after: null, filter, maxCount: 1_000_000 });
    await store.close();
    // Positions continue without a gap across all crashes.
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => BigInt(index + 1)));
    return new Map(events.map((event) => [event.id, event]));
  }

  it('contains every acknowledged append, and of the others all events or none', async () => {
    const acknowledged: Acknowledged[] = [];
    for (const count of [1, 100, 333]) {
      acknowledged.push(...(await killAfter(count)));
      const stored = await readEverything();
      for (const { streamId, revision, position, ids } of acknowledged) {
        const revisions = ids.map((_, index) => revision - ids.length + 1 + index);
        expect(ids.map((id) => stored.get(id))).toMatchObject(revisions.map((each) => ({ streamId, revision: each })));
        expect(String(stored.get(ids.at(-1) ?? '')?.position)).toBe(position);
      }
      const lengths = new Map<string, number>();
      for (const { streamId, revision } of stored.values()) {
        expect(revision).toBe(lengths.get(streamId) ?? 0);
        lengths.set(streamId, revision + 1);
      }
      for (const length of lengths.values()) expect(length % EVENTS_PER_APPEND).toBe(0);
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(434);
  });

  it('is locked for others while the process runs, and free once it is dead', async () => {
    const child = start('idle');
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    expect(line).toBe('ready');
    expect(open).toThrow(EventLogInUseError);
    await kill(child);
    await open().close();
  });
});
