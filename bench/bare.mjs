// What the service is measured against: Fastify that parses the same bodies and answers with the same bytes, and does nothing else.
import { fastify } from 'fastify';

/** One answer of the service for each route, as JSON texts. */
const { created, read, batch } = JSON.parse(process.env.BENCH_ANSWERS);
const server = fastify({ logger: false });
const { paymentId, transactionId } = created;

server.post('/api/v2/payments', (request, reply) => {
  reply
    .code(201)
    .header('X-Request-ID', request.headers['x-request-id'])
    .header('Location', `/api/v2/payments/${paymentId}`)
    .header('X-Transaction-ID', transactionId)
    .header('X-Processing-Time', '0')
    .send(created);
});

server.get('/api/v2/payments/:paymentId', (request, reply) => {
  reply
    .header('X-Request-ID', request.headers['x-request-id'])
    .header('Cache-Control', 'private, max-age=5')
    .send(read);
});

server.post('/api/v2/payments/batch-query', (request, reply) => {
  reply.header('X-Request-ID', request.headers['x-request-id']).send(batch);
});

server.get('/metrics', (_request, reply) => {
  const { user, system } = process.cpuUsage();
  reply.send(`process_cpu_seconds_total ${(user + system) / 1e6}\n`);
});

process.on('disconnect', () => process.exit());
await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
