// A merchant's receivers of webhooks, in a process of their own: acknowledge each one and tell the parent when they did.
import { once } from 'node:events';
import { createServer } from 'node:http';

import { epochMs } from './webhook-clock.mjs';

const RECEIVERS = 8;

let acknowledged = [];

function take(request, response) {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(chunks));
    response.statusCode = 204;
    response.end(() => tell(data.paymentId, epochMs()));
  });
}

/** One message for all of one turn. */
function tell(paymentId, at) {
  if (acknowledged.length === 0) {
    setImmediate(() => {
      process.send({ acknowledged });
      acknowledged = [];
    });
  }
  acknowledged.push([paymentId, at]);
}

process.on('disconnect', () => process.exit());
const servers = Array.from({ length: RECEIVERS }, () => createServer(take).listen(0, '127.0.0.1'));
await Promise.all(servers.map((server) => once(server, 'listening')));
process.send({ ports: servers.map((server) => server.address().port) });
