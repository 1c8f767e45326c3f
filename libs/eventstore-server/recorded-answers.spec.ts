import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SystemClock } from '@app/platform/lifecycle';
import { ManualClock } from '@app/platform/testing';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { playOf } from './testing/recorded/cases';
import { DIFFERENCES } from './testing/recorded/differences';
import { answerFiles, compared, expectedHere, recordedCases } from './testing/recorded/expected';
import { Recorder } from './testing/recorded/recorder';
import { SpecServer } from './testing/spec-server';

const GUIDE = join(__dirname, '../../docs/guides/eventstoredb.md');

/** Many cases wait for something. */
const AT_ONCE = 32;
/** Followers of $all would see each other's events, and time passes for all. */
const ONE_BY_ONE = ['subscriptions.jsonl', 'following-all.jsonl', 'groups-all.jsonl', 'timed.jsonl'];
/** Played by that client's spec, which needs a process of its own. */
const ELSEWHERE = ['kurrentdb-client.jsonl'];

const used = new Set<string>();

/**
 * Replays the recorded answers of EventStoreDB oss-v23.10.6 against this server. Each response is the same, or as one
 * of the listed differences says.
 */
describe('what EventStoreDB answered', () => {
  let spec: SpecServer;
  let client: StreamsClient;
  const start = async (clock: ManualClock | null) => {
    spec = await SpecServer.start({ clock: clock ?? new SystemClock() });
    client = Recorder.connect(`127.0.0.1:${spec.server.port}`);
  };
  afterEach(async () => {
    client.close();
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const answersOf = async (file: string) => {
    const clock = file === 'timed.jsonl' ? new ManualClock() : null;
    await start(clock);
    const cases = recordedCases(file);
    const waiting = cases.entries();
    const wrong: object[] = [];
    const playOneByOne = async () => {
      for (const [index, [name, recorded]] of waiting) {
        const expected = expectedHere(name, recorded, (what) => used.add(what));
        const recorder = new Recorder(client, `case${index}_`, expected, clock);
        await playOf(name)(recorder, name.split('/'));
        wrong.push(...compared(name, expected, recorder.result()));
      }
    };
    await Promise.all(Array.from({ length: ONE_BY_ONE.includes(file) ? 1 : AT_ONCE }, playOneByOne));
    return { played: cases.length, wrong };
  };

  it.each(answerFiles().filter((file) => !ELSEWHERE.includes(file)))(
    'to the cases of %s',
    async (file) => {
      const { played, wrong } = await answersOf(file);
      expect(played).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    },
    300_000,
  );
});

describe('the differences from what EventStoreDB answered', () => {
  it('are each needed, and the guide lists the same', () => {
    expect(DIFFERENCES.map(({ what }) => what).filter((what) => !used.has(what))).toEqual([]);
    const rows = DIFFERENCES.map(({ what, there, here, why }) => [what, there, here, why].join(' | '));
    expect(guideRows()).toEqual(rows);
  });
});

/** The rows of the guide's table, without padding. */
function guideRows(): string[] {
  const [, table = ''] = readFileSync(GUIDE, 'utf8').split('## Where we differ, and why\n');
  const rows = table
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim())
      .join(' | '),
  );
}
