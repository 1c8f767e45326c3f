// In a process of its own: appends to an EventStoreDB and follows its log, through the product's adapter or by the bare client.
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

import { serveJobs } from './jobs.mjs';
import { measured, processorShare } from './numbers.mjs';

const require = createRequire(import.meta.url);
const clients = { adapter: openAdapter, bare: openBare };

let opened = null;

serveJobs(({ client, url, ...job }) => {
  opened ??= clients[client](url);
  return job.follow === undefined ? append(opened, job) : follow(opened, job.follow);
});

/** Each append makes a stream of its own with one event, as a create does. */
async function append({ appendOne }, { seconds, connections, prefix }) {
  const latencies = [];
  const share = processorShare();
  const started = performance.now();
  const until = started + seconds * 1000;
  const keepAppending = async () => {
    do {
      const id = randomUUID();
      const sentAt = performance.now();
      await appendOne(`${prefix}-${id}`, id, event(id));
      latencies.push(performance.now() - sentAt);
    } while (performance.now() < until);
  };
  await Promise.all(Array.from({ length: connections }, keepAppending));
  return { ...measured(latencies, performance.now() - started), loadCpu: share() };
}

/** Catches up with `events` events of the streams with this prefix. */
async function follow({ followAll }, { prefix, events }) {
  const started = performance.now();
  let seen = 0;
  await followAll(prefix, (count) => {
    seen += count;
    return seen < events;
  });
  return { answers: seen, perSecond: (seen * 1000) / (performance.now() - started) };
}

function openAdapter(connectionString) {
  const { EventStoreDbEventStore } = require('../dist/libs/stores/eventstoredb');
  const { SystemClock, SystemRandom } = require('../dist/libs/platform/lifecycle');
  const [clock, random] = [new SystemClock(), new SystemRandom()];
  const store = EventStoreDbEventStore.open({ connectionString, streamPrefix: '', clock, random });
  return {
    appendOne: (stream, id, { type, data, metadata }) => {
      const toAppend = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
      return store.append(stream, 'no-stream', [toAppend]);
    },
    followAll: async (prefix, wantsMore) => {
      const stopping = new AbortController();
      const filter = { streamPrefixes: [`${prefix}-`] };
      const batches = store.subscribe({ after: null, filter, maxBatch: 500, signal: stopping.signal });
      for await (const { events } of batches) if (!wantsMore(events.length)) break;
      stopping.abort();
    },
  };
}

function openBare(url) {
  const { EventStoreDBClient, jsonEvent, NO_STREAM, START, streamNameFilter } = require('@eventstore/db-client');
  const client = EventStoreDBClient.connectionString(url);
  return {
    appendOne: (stream, id, { type, data, metadata }) =>
      client.appendToStream(stream, jsonEvent({ id, type, data, metadata }), { expectedRevision: NO_STREAM }),
    followAll: async (prefix, wantsMore) => {
      const filter = streamNameFilter({ prefixes: [`${prefix}-`] });
      const subscription = client.subscribeToAll({ fromPosition: START, filter });
      await new Promise((resolve, reject) => {
        subscription.once('error', reject).on('data', () => {
          if (!wantsMore(1)) resolve();
        });
      });
      await subscription.unsubscribe();
    },
  };
}

/** As large as the event of a create. */
function event(id) {
  const data = {
    paymentId: `pay_${'0'.repeat(26)}`,
    merchantId: `mer_${'0'.repeat(26)}`,
    orderId: 'order-1',
    payerId: 'payer-1',
    maskedCardNumber: '411111******1111',
    amountMinor: '10000',
    currency: 'EUR',
    captureMethod: 'AUTOMATIC',
    merchantMetadata: [],
    notifyUrl: null,
    expiresAt: '2030-01-01T00:30:00.000Z',
    transactionIds: ['authorization', 'capture', 'void'].map((act) => [act, `txn_${'0'.repeat(26)}`]),
    gatewayReference: `gw_${'0'.repeat(26)}`,
    riskScore: 12,
    riskLevel: 'LOW',
    nextAction: null,
    idempotency: { keyHmac: '0'.repeat(64), fingerprint: 'f'.repeat(64), dataKeyId: 'dk_1' },
  };
  const actor = { actor: `merchant:mer_${'0'.repeat(26)}`, correlationId: id, causationId: null };
  const hashes = { previousHash: '0'.repeat(64), hash: 'f'.repeat(64) };
  return {
    type: 'PaymentCreated',
    data,
    metadata: { schemaVersion: 1, recordedAt: '2030-01-01T00:00:00.000Z', ...actor, ...hashes },
  };
}
