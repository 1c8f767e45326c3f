import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paymentIdOf, paymentOf } from '@app/audit/testing/payment-log';
import { APPROVED, authorization, captureWord, create, createRefund, refundWord } from '@app/payments/testing/payments';
import { ManualClock, SeededRandom } from '@app/platform/testing';
import { EmbeddedEventStore } from '@app/stores/sqlite';
import { auditCommand } from '.';
import type { CliError } from '../cli-error';
import { Output } from '../output';

let log: string;
let eventStore: EmbeddedEventStore;
let text: string;

beforeEach(async () => {
  log = await mkdtemp(join(tmpdir(), 'audit-'));
  eventStore = EmbeddedEventStore.open({ directory: log, clock: new ManualClock() });
  text = '';
});
afterEach(async () => {
  await eventStore.close();
  await rm(log, { recursive: true });
});

async function append(...commands: Parameters<typeof paymentOf> extends [number, ...infer C] ? C : never) {
  for (const { streamId, revision, id, type, data, metadata } of paymentOf(1, ...commands)) {
    const texts = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    await eventStore.append(streamId, revision === 0 ? 'no-stream' : revision - 1, [texts]);
  }
}

async function audit(...args: readonly string[]): Promise<string> {
  text = '';
  const write = (line: string | Uint8Array) => (text += String(line)) !== '';
  const output = new Output({ write, isTTY: false, columns: 80 });
  const context = { output, clock: new ManualClock(), random: new SeededRandom(), environment: {} };
  await auditCommand([...args, '--log', log], context);
  return text;
}

const refused = (...args: readonly string[]) => audit(...args).then(null, (error: CliError) => error);

const PAID = [create(), authorization(), captureWord(APPROVED, 30n)];

describe('counterfoil audit replay', () => {
  it('prints a timeline beside the running service', async () => {
    await append(...PAID, createRefund(400n), refundWord());
    const shown = await audit('replay', paymentIdOf(1));
    expect(shown).toContain('payment-00000000000000000000000001: 6 events');
    expect(shown).toContain('#3  2026-01-15T12:00:02.000Z  PaymentCaptured\n    by spec, request spec, position 4\n');
    expect(shown).toContain('    says     feeMinor: 30\n');
    expect(shown).toContain('    changes  shown.payment.body.status: AUTHORIZED -> COMPLETED\n');
    expect(shown).toContain('    state    phase COMPLETED, status COMPLETED\n');
    expect(shown).not.toContain('changes  decided.created.');
  });

  it('stops at --as-of, and gives JSON', async () => {
    await append(...PAID);
    const shown = JSON.parse(await audit('replay', paymentIdOf(1), '--as-of', '2', '--json')) as { events: object[] };
    expect(shown).toMatchObject({ damage: null, events: [{ type: 'PaymentCreated' }, { type: 'PaymentAuthorized' }] });
    expect(shown.events[1]).toMatchObject({ revision: 1, position: '2', actor: 'spec', requestId: 'spec' });
    expect(shown.events).toHaveLength(2);
  });

  it('shows the sound part of a damaged history, names the damage and ends with code 5', async () => {
    await append(...PAID);
    const foreign = { id: '00000000-0000-4000-8000-0000000000ff', type: 'OrderShipped', data: '{}', metadata: '{}' };
    await eventStore.append('payment-00000000000000000000000001', 3, [foreign]);
    const error = await refused('replay', paymentIdOf(1));
    expect(text).toContain('4 events');
    expect(error).toMatchObject({ exitCode: 5 });
    expect((error as CliError).message).toContain('payment-00000000000000000000000001@4 FOREIGN');
  });

  it.each([
    [['replay', 'pay_1'], 2, "'pay_1' is no payment's id."],
    [['replay', paymentIdOf(7)], 1, `The log has no ${paymentIdOf(7)} by then.`],
    [['replay', paymentIdOf(7), '--as-of', 'yesterday'], 2, 'neither a time with its offset nor a position'],
    [['balances', 'no merchant'], 2, "is no merchant's id"],
  ])('%j ends with code %d', async (args, exitCode, message) => {
    const error = await refused(...args);
    expect(error).toMatchObject({ exitCode, message: expect.stringContaining(message) as string });
  });
});

describe('counterfoil audit balances', () => {
  it('prints the balances as of a time', async () => {
    await append(...PAID, createRefund(400n), refundWord());
    const shown = await audit('balances', 'm1', '--as-of', '2026-01-15T12:00:02.000Z');
    expect(shown).toBe(
      [
        'm1 as of 2026-01-15T12:00:02.000Z: 1 payments, 1 postings',
        '',
        'CURRENCY  GATEWAY RECEIVABLE  MERCHANT PAYABLE  REFUNDS PENDING  FEES EARNED  CHARGEBACKS',
        'EUR                    10.00              9.70             0.00         0.30         0.00',
        '',
      ].join('\n'),
    );
    expect(JSON.parse(await audit('balances', 'm1', '--json'))).toMatchObject({
      merchantId: 'm1',
      balances: [{ currency: 'EUR', merchantPayable: '5.70' }],
      postings: 3,
      damages: [],
    });
  });

  it('says which payments are not in them as a whole, and ends with code 5', async () => {
    await append(...PAID);
    const foreign = { id: '00000000-0000-4000-8000-0000000000ff', type: 'OrderShipped', data: '{}', metadata: '{}' };
    await eventStore.append('payment-00000000000000000000000001', 3, [foreign]);
    expect(await refused('balances', 'm1')).toMatchObject({ exitCode: 5 });
    expect(text).toContain('EUR');
  });
});
