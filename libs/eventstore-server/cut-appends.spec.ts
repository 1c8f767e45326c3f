import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { RawAppend } from './testing/raw-append';
import { clock, event, SpecServer } from './testing/spec-server';

/** Raise it for a manual run. */
const CALLS = Number(process.env['CUT_CALLS'] ?? 400);
const CALLS_A_CONNECTION = 20;
const CLIENTS_TO_KILL = Number(process.env['CUT_CLIENTS'] ?? 2);

type Ending = 'reset' | 'connection lost' | 'connection reset' | 'deadline';

interface Plan {
  /** How the calls of one connection are cut. */
  readonly ending: Ending;
  readonly calls: readonly {
    readonly events: number;
    /** The share of calls that is written before the cut. */
    readonly share: number;
    readonly bytesOfNext: number;
    /** Whether the client ends the call just before the cut. */
    readonly isEnded: boolean;
  }[];
  readonly turns: number;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  ending: fc.constantFrom<Ending>('reset', 'connection lost', 'connection reset', 'deadline'),
  calls: fc.array(
    fc.record({
      events: fc.integer({ min: 1, max: 60 }),
      share: fc.constantFrom(0, 0.3, 0.7, 1),
      bytesOfNext: fc.integer({ min: 0, max: 40 }),
      isEnded: fc.boolean(),
    }),
    { minLength: CALLS_A_CONNECTION, maxLength: CALLS_A_CONNECTION },
  ),
  turns: fc.integer({ min: 0, max: 8 }),
});

/** A cut append, to be looked for in the log. */
interface Cut {
  readonly streamName: string;
  readonly events: number;
  readonly isEnded: boolean;
  readonly ending?: Ending;
}

describe('appends that are cut off', () => {
  let spec: SpecServer;
  beforeEach(async () => {
    spec = await SpecServer.start();
  });
  afterEach(async () => {
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const url = () => `http://127.0.0.1:${spec.server.port}`;

  /** Waits until the server has finished all calls and the log all appends. */
  const writtenOf = async (cuts: readonly Cut[]) => {
    await spec.server.close(10_000, clock);
    await spec.log.append('fence', 'any', []);
    return cuts.map((cut) => ({ ...cut, written: Number(spec.log.describeStream(cut.streamName).lastRevision) + 1 }));
  };

  it('are written whole when they were ended before, and not at all otherwise', async () => {
    const cuts: Cut[] = [];
    const run = async (plan: Plan) => {
      const socket = createConnection(spec.server.port, '127.0.0.1');
      const session = connect(url(), { createConnection: () => socket });
      session.on('error', () => undefined);
      await once(session, 'connect');
      cuts.push(...(await cutAll({ session, socket }, plan, `cut-${cuts.length}`)));
      session.destroy();
    };
    for (const plan of fc.sample(plans, Math.ceil(CALLS / CALLS_A_CONNECTION))) await run(plan);
    const client = spec.client();
    await client.appendToStream('whole', [event(), event()]);

    const found = await writtenOf(cuts);
    expect(found.filter(({ isEnded, written }) => !isEnded && written > 0)).toEqual([]);
    expect(found.filter(({ events, written }) => written > 0 && written !== events)).toEqual([]);
    // Some of the ended calls arrived before the cut: the test would notice a partial append.
    expect(found.some(({ isEnded, written }) => isEnded && written > 0)).toBe(true);
  });

  it('leave nothing when they are ended in the middle of a message', async () => {
    const session = connect(url());
    const append = RawAppend.begin(session, 'halved', 3);
    append.write(3, 10);
    append.end();
    await append.over();
    session.destroy();
    expect(await writtenOf([{ streamName: 'halved', events: 3, isEnded: false }])).toMatchObject([{ written: 0 }]);
  });

  it('leave nothing when their client is killed', async () => {
    const cuts: Cut[] = [];
    for (let client = 0; client < CLIENTS_TO_KILL; client += 1) {
      const prefix = `killed-${client}`;
      const child = spawn(
        process.execPath,
        [
          ...['-r', join(__dirname, '../stores/testing/event-log/load-typescript.cjs')],
          ...[join(__dirname, 'testing/append-without-end.ts'), url(), prefix, '30', '40'],
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      cuts.push(
        ...Array.from({ length: 30 }, (_, n) => ({ streamName: `${prefix}-${n}`, events: 40, isEnded: false })),
      );
    }
    const found = await writtenOf(cuts);
    expect(found.filter(({ written }) => written > 0)).toEqual([]);
  });
});

async function cutAll(
  { session, socket }: { readonly session: ClientHttp2Session; readonly socket: Socket },
  { ending, calls, turns }: Plan,
  prefix: string,
): Promise<Cut[]> {
  const headers = ending === 'deadline' ? { 'grpc-timeout': `${10 + turns}m` } : {};
  const begun = calls.map(({ events, share, bytesOfNext, isEnded }, index) => {
    const streamName = `${prefix}-${index}`;
    const append = RawAppend.begin(session, streamName, events, headers);
    const written = isEnded ? events : Math.floor(events * share);
    // The first message is the options.
    append.write(written + 1, isEnded ? 0 : bytesOfNext);
    if (isEnded) append.end();
    return { append, cut: { streamName, events, isEnded, ending } };
  });
  for (let each = 0; each < turns; each += 1) await turn();
  if (turns > 4) await sleep(turns);
  if (ending === 'reset') for (const { append } of begun) append.stream.close(constants.NGHTTP2_CANCEL);
  else if (ending === 'connection lost') socket.destroy();
  else if (ending === 'connection reset') socket.resetAndDestroy();
  await Promise.all(begun.map(({ append }) => append.over()));
  return begun.map(({ cut }) => cut);
}
