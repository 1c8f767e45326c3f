import { useLedger } from '../support/ledger';
import { OperatorClient } from '../support/operator-client';
import { bodyOf, createCompleted, TIME } from '../support/payments';
import { refusal } from '../support/refusal';
import { eventually } from '../support/service';
import { isDistributed } from '../support/stores-of';

interface Version {
  readonly version: number;
  readonly events: number;
  readonly percent: number | null;
  readonly lagEvents?: number;
}

interface Projection {
  readonly name: string;
  readonly partitions: readonly {
    readonly name: string;
    readonly status: string;
    readonly active: Version | null;
    readonly building: Version | null;
  }[];
}

interface Page {
  readonly items: readonly Projection[];
  readonly nextCursor: string | null;
}

const NAMES = ['payments', 'processing', 'balances', 'webhook-deliveries'];
/** As many parts as there are by default where the roles are separate. */
const partitionNames = (name: string) => (isDistributed ? [0, 1, 2, 3].map((index) => `${name}:${index}/4`) : [name]);

const ledger = useLedger();
let operator: OperatorClient;

beforeAll(() => {
  operator = new OperatorClient(ledger.service);
});

async function projections(): Promise<readonly Projection[]> {
  return bodyOf<{ items: readonly Projection[] }>(await operator.send('GET', '/projections'), 200).items;
}

async function partitionsOf(name: string) {
  return (await projections()).find((projection) => projection.name === name)!.partitions;
}

const post = (path: string, body?: unknown) => operator.send('POST', `/projections${path}`, body);

describe('the list of projections', () => {
  it('shows each one live once it has taken in what is in the log', async () => {
    await createCompleted(ledger.client);
    await eventually('all projections to catch up', async () =>
      (await projections()).every(({ partitions }) =>
        partitions.every(({ status, active }) => status === 'LIVE' && active?.lagEvents === 0),
      ),
    );
    const answer = await operator.send('GET', '/projections');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body['nextCursor']).toBeNull();
    const all = await projections();
    expect(all.map(({ name }) => name)).toEqual(NAMES);
    const page = (query: string) => operator.send('GET', `/projections${query}`);
    const first = bodyOf<Page>(await page('?limit=3'), 200);
    const rest = bodyOf<Page>(await page(`?limit=3&cursor=${first.nextCursor}`), 200);
    expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(NAMES);
    expect([first.items.length, rest.nextCursor]).toEqual([3, null]);
    expect(refusal(await page('?limit=0'))).toEqual([400, 'VALIDATION_FAILED', ['limit: INVALID_FORMAT']]);
    for (const { name, partitions } of all) {
      expect(partitions).toEqual(
        partitionNames(name).map((partition) => ({
          name: partition,
          status: 'LIVE',
          active: {
            version: expect.any(Number),
            startedAt: expect.stringMatching(TIME),
            position: expect.stringMatching(/^[1-9][0-9]*$/),
            events: expect.any(Number),
            percent: 100,
            secondsLeft: null,
            stopped: null,
            lagEvents: 0,
            lagSeconds: 0,
          },
          building: null,
        })),
      );
    }
    const events = (await partitionsOf('payments'))[0]!.active!.events;
    expect(events).toBeGreaterThanOrEqual(4);
  });
});

describe('a rebuild', () => {
  it('puts a later version into the place of the one that is read, which answers until then', async () => {
    const { paymentId } = await createCompleted(ledger.client);
    await eventually('the lists to catch up', async () => (await ledger.client.payment(paymentId)).status === 200);
    const [before] = await partitionsOf('payments');
    const accepted = await post('/payments/rebuild');
    expect(bodyOf<Projection>(accepted, 202).name).toBe('payments');
    const after = await eventually('the version to be switched', async () => {
      expect((await ledger.client.send('GET', '/api/v2/payments', undefined, {}, false)).status).toBe(200);
      const [partition] = await partitionsOf('payments');
      return partition!.building === null && partition!.active!.version > before!.active!.version && partition;
    });
    expect(after.status).toBe('LIVE');
    expect(after.active!.events).toBeGreaterThanOrEqual(before!.active!.events);
    const others = NAMES.filter((name) => name !== 'payments');
    for (const name of others) expect((await partitionsOf(name))[0]!.building).toBeNull();
  });

  it('is one at a time, also where several are asked for at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => post('/balances/rebuild')));
    // So small a log may be built before the last of them is heard; whoever comes while it is being built is refused.
    expect(answers.map(({ status }) => status)).toContain(202);
    for (const refused of answers.filter(({ status }) => status !== 202)) {
      expect(refusal(refused)).toEqual([409, 'REBUILD_IN_PROGRESS', []]);
    }
    await eventually('the rebuild to end', async () => (await partitionsOf('balances'))[0]!.building === null);
  });

  it('is given up only where there is one', async () => {
    expect(refusal(await post('/processing/cancel'))).toEqual([409, 'NO_REBUILD_IN_PROGRESS', []]);
  });
});

describe('a projection that goes on', () => {
  it('has nothing to try again, and nothing to skip', async () => {
    expect(refusal(await post('/payments/retry'))).toEqual([409, 'PROJECTION_NOT_STOPPED', []]);
    const skip = { position: '1', reason: 'because' };
    expect(refusal(await post('/payments/skip', skip))).toEqual([409, 'PROJECTION_NOT_STOPPED', []]);
  });
});

describe('what is refused', () => {
  it.each([
    ['a missing position', { reason: 'r' }, 'position', 'REQUIRED'],
    ['a number', { position: 1, reason: 'r' }, 'position', 'INVALID_FORMAT'],
    ['a position that is none', { position: '-1', reason: 'r' }, 'position', 'INVALID_FORMAT'],
    ['a missing reason', { position: '1' }, 'reason', 'REQUIRED'],
    ['an empty reason', { position: '1', reason: '' }, 'reason', 'INVALID_FORMAT'],
    ['a long reason', { position: '1', reason: 'x'.repeat(1_001) }, 'reason', 'TOO_LONG'],
    ['a card number', { position: '1', reason: 'card 4111 1111 1111 1111' }, 'reason', 'CARD_DATA_NOT_ALLOWED'],
    ['an unknown field', { position: '1', reason: 'r', force: true }, 'force', 'UNKNOWN_FIELD'],
  ])('%s in a skip', async (_name, body, field, code) => {
    const answer = await post('/payments/skip', body);
    expect(refusal(answer)).toEqual([400, 'VALIDATION_FAILED', [`${field}: ${code}`]]);
  });

  it.each(['rebuild', 'cancel', 'retry', 'skip'])('%s of what is no projection', async (operation) => {
    const body = operation === 'skip' ? { position: '1', reason: 'r' } : undefined;
    for (const name of ['nothing', 'payment']) {
      expect(refusal(await post(`/${name}/${operation}`, body))).toEqual([404, 'PROJECTION_NOT_FOUND', []]);
    }
  });

  it("a merchant's token", async () => {
    const merchant = new OperatorClient(ledger.service, ledger.client.credentials.accessToken);
    expect(refusal(await merchant.send('GET', '/projections'))).toEqual([401, 'UNAUTHENTICATED', []]);
    expect(refusal(await merchant.send('POST', '/projections/payments/rebuild'))).toEqual([401, 'UNAUTHENTICATED', []]);
  });
});
