// In a process of its own: writes completed payments of one merchant into the log of a data folder, with the product's own
// rules and log, many at a time. Through the API a hundred thousand of them would take minutes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { serveJobs } from './jobs.mjs';
import { keyRingOf } from './key-ring.mjs';

const require = createRequire(import.meta.url);
const { CommandHandling } = require('../dist/libs/event-sourcing');
const { paymentDecider, paymentStreamId } = require('../dist/libs/payments/domain');
const { makeCredentials } = require('../dist/libs/merchants/commands/credentials');
const { paymentIdOf, transactionIdsOf } = require('../dist/libs/payments/commands/ids');
const { SystemClock, SystemRandom } = require('../dist/libs/platform/lifecycle');
const { EmbeddedEventStore } = require('../dist/libs/stores/sqlite');

/** How many payments are written side by side, so that their appends share commits. */
const SIDE_BY_SIDE = 512;
const EVENTS_EACH = 4;
const BETWEEN_PAYMENTS_MS = 20;
const APPROVED = { kind: 'approved', processorResponse: { code: '00', message: 'Approved' } };

serveJobs(seed);

/** @param job {dataDir, payments}. The service then registers the merchant, whose credentials are in `sandbox.json`. */
async function seed({ dataDir, payments }) {
  const random = new SystemRandom();
  const { merchantId } = writeCredentials(dataDir, random);
  const eventStore = EmbeddedEventStore.open({ directory: dataDir, clock: new SystemClock() });
  const proofs = await keyRingOf(dataDir, eventStore);
  const firstAtMs = Date.now() - payments * BETWEEN_PAYMENTS_MS;
  const started = performance.now();
  let next = 0;
  const writeInTurn = async () => {
    while (next < payments) {
      const number = next;
      next += 1;
      // Times a little apart, as payments have them: lists are in their order.
      const nowMs = firstAtMs + number * BETWEEN_PAYMENTS_MS;
      const clock = Object.assign(new SystemClock(), { nowMs: () => nowMs });
      const handling = new CommandHandling({ eventStore, clock, random, proofs });
      await writePayment(handling, merchantId, number, nowMs);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, writeInTurn));
  await eventStore.close();
  const events = payments * EVENTS_EACH;
  return { events, eventsPerSecond: (events * 1000) / (performance.now() - started) };
}

function writeCredentials(dataDir, random) {
  const credentials = makeCredentials(random);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(join(dataDir, 'sandbox.json'), JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}

/** What the processing of an ordinary payment writes: created, authorized, capture requested, captured. */
async function writePayment(handling, merchantId, number, nowMs) {
  const key = `bench-${number}`;
  const paymentId = paymentIdOf(merchantId, key);
  const streamId = paymentStreamId(paymentId);
  const at = (ms) => new Date(nowMs + ms).toISOString();
  const fingerprint = { dataKeyId: 'dk_bench', keyHmac: '0'.repeat(64), fingerprint: 'f'.repeat(64) };
  const create = {
    type: 'CreatePayment',
    identity: { keyHash: '0'.repeat(64), fingerprints: [fingerprint] },
    payment: paymentOf({ paymentId, merchantId, orderId: `order-${number}`, expiresAt: at(30 * 60_000) }),
  };
  const authorize = { type: 'RecordAuthorization', verdict: APPROVED, holdExpiresAt: at(7 * 24 * 3_600_000) };
  const capture = { type: 'RecordCapture', verdict: APPROVED, feeMinor: 320n };
  let loaded = { state: null, last: null };
  for (const command of [create, authorize, capture]) {
    const context = { correlationId: key, causationId: null, actor: `merchant:${merchantId}` };
    const handled = await handling.handle(paymentDecider, streamId, command, context, loaded);
    if (handled.kind === 'rejected') throw new Error(`${command.type} was refused: ${handled.rejection}`);
    ({ loaded } = handled);
  }
  if (loaded.last.revision !== EVENTS_EACH - 1) throw new Error(`${streamId} has not ${EVENTS_EACH} events`);
}

function paymentOf(own) {
  return {
    payerId: 'payer-1',
    maskedCardNumber: '411111******1111',
    amountMinor: '10000',
    currency: 'EUR',
    captureMethod: 'AUTOMATIC',
    merchantMetadata: [],
    notifyUrl: null,
    transactionIds: transactionIdsOf(own.paymentId),
    gatewayReference: 'gw_bench',
    riskScore: 12,
    riskLevel: 'LOW',
    nextAction: null,
    ...own,
  };
}
