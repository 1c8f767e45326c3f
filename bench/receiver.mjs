// A merchant's receiver of webhooks, in a process of its own: acknowledges each one and tells the parent when it did.
import { createServer } from 'node:http';

import { epochMs } from './webhook-clock.mjs';

let acknowledged = [];

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(chunks));
    response.statusCode = 204;
    response.end(() => tell(data.paymentId, epochMs()));
  });
});

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
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
