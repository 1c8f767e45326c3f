import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb';
import { playOf } from './testing/recorded/cases';
import { ANY, DIFFERENCES } from './testing/recorded/differences';
import type { Outcome } from './testing/recorded/outcome';
import { Recorder, type Steps } from './testing/recorded/recorder';
import { SpecServer } from './testing/spec-server';

const ANSWERS = join(__dirname, 'testing/recorded/answers');
const GUIDE = join(__dirname, '../../docs/guides/eventstoredb.md');

type Case = readonly [name: string, steps: Steps];

const AT_ONCE = 8;

const used = new Set<string>();

/**
 * What EventStoreDB oss-v23.10.6 answered, asked of this server again. Each answer is the same, or one of the listed
 * differences makes it another: then it is that other one.
 */
describe('what EventStoreDB answered', () => {
  let spec: SpecServer;
  let client: StreamsClient;
  beforeEach(async () => {
    spec = await SpecServer.start();
    client = Recorder.connect(`127.0.0.1:${spec.server.port}`);
  });
  afterEach(async () => {
    client.close();
    await spec.stop();
    expect(spec.failures).toEqual([]);
  });

  const answersOf = async (file: string) => {
    const cases = readFileSync(join(ANSWERS, file), 'utf8').trimEnd().split('\n');
    const waiting = cases.entries();
    const wrong: object[] = [];
    const playOneByOne = async () => {
      for (const [index, line] of waiting) {
        const [name, recorded] = JSON.parse(line) as Case;
        const expected = expectedHere(name, recorded);
        const recorder = new Recorder(client, `case${index}-`, (step) => (expected[step]?.length ?? 1) - 1);
        await playOf(name)(recorder, name.split('/'));
        wrong.push(...compared(name, expected, recorder.result()));
      }
    };
    // Subscriptions to $all would be told of each other's events.
    const atOnce = file.startsWith('subscriptions') ? 1 : AT_ONCE;
    await Promise.all(Array.from({ length: atOnce }, playOneByOne));
    return { played: cases.length, wrong };
  };

  it.each(readdirSync(ANSWERS))(
    'to the cases of %s',
    async (file) => {
      const { played, wrong } = await answersOf(file);
      expect(played).toBeGreaterThan(0);
      expect(wrong).toEqual([]);
    },
    300_000,
  );

  it('differs in each of the listed ways, and the guide lists the same', () => {
    expect(DIFFERENCES.map(({ what }) => what).filter((what) => !used.has(what))).toEqual([]);
    const rows = DIFFERENCES.map(({ what, there, here, why }) => [what, there, here, why].join(' | '));
    expect(guideRows()).toEqual(rows);
  });
});

function expectedHere(name: string, recorded: Steps): Steps {
  const expected = Object.entries(recorded).map(([step, outcome]): [string, Outcome] => [
    step,
    DIFFERENCES.reduce((sofar, { what, instead }) => {
      const changed = instead(sofar, { name, step });
      if (changed === null || changed.join('\n') === sofar.join('\n')) return sofar;
      used.add(what);
      return changed;
    }, outcome),
  ]);
  return Object.fromEntries(expected);
}

function compared(name: string, expected: Steps, found: Steps): object[] {
  const steps = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...steps]
    .filter((step) => !isAlike(expected[step] ?? [], found[step] ?? []))
    .map((step) => ({ name, step, expected: expected[step], found: found[step] }));
}

function isAlike(expected: Outcome, found: Outcome): boolean {
  return (
    expected.length === found.length &&
    expected.every((line, index) => {
      const parts = line.split(ANY).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
      return new RegExp(`^${parts.join('[^]*')}$`).test(found[index] ?? '');
    })
  );
}

/** The rows of the guide's table, its cells without the padding. */
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
