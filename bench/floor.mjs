// What no create can do without, and nothing else: bare Fastify that checks a signature and a token, makes a fingerprint and an
// identity, and appends one event durably. Nothing is validated, registered, projected or logged.
import { createHmac, createSecretKey, hash, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { fastify } from 'fastify';

const require = createRequire(import.meta.url);
const { SystemClock } = require('../dist/libs/platform/lifecycle');
const { EmbeddedEventStore } = require('../dist/libs/stores/sqlite');

const { PORT, DATA_DIR, BENCH_ANSWERS } = process.env;
const { created } = JSON.parse(BENCH_ANSWERS);
const key = createSecretKey(Buffer.from('bench'));
const log = EmbeddedEventStore.open({ directory: DATA_DIR, clock: new SystemClock() });
const server = fastify({ logger: false });

server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

server.post('/api/v2/payments', async (request, reply) => {
  const {
    authorization,
    'x-timestamp': time,
    'x-merchant-id': merchant,
    'idempotency-key': idempotencyKey,
  } = request.headers;
  hash('sha256', authorization, 'hex');
  const signed = ['POST', request.url, time, merchant, idempotencyKey, hash('sha256', request.body, 'hex')].join('\n');
  createHmac('sha256', key).update(signed).digest('hex');
  const body = JSON.parse(request.body);
  const fingerprint = createHmac('sha256', key).update(JSON.stringify(body)).digest('hex');
  const id = hash('sha256', `${merchant}${idempotencyKey}`, 'hex').slice(0, 26);
  const data = JSON.stringify({ ...created, order: body.order, idempotency: fingerprint });
  const metadata = JSON.stringify({
    correlationId: request.headers['x-request-id'],
    hash: hash('sha256', data, 'hex'),
  });
  await log.append(`payment-${id}`, 'no-stream', [{ id: randomUUID(), type: 'PaymentCreated', data, metadata }]);
  reply.code(201).header('Location', `/api/v2/payments/pay_${id}`);
  return created;
});

server.get('/health/ready', () => 'ready');

server.get('/metrics', (_request, reply) => {
  const { user, system } = process.cpuUsage();
  reply.send(`process_cpu_seconds_total ${(user + system) / 1e6}\n`);
});

process.on('disconnect', () => process.exit());
await server.listen({ host: '127.0.0.1', port: Number(PORT) });
