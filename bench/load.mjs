// The load, in a process of its own: as many connections as asked for, each with one request in flight at a time. Plain sockets
// and prepared text, so that as little as possible of the machine goes to the measuring.
import { connect } from 'node:net';

import { Requests } from './requests.mjs';

const MAX_ANSWER_MS = 10_000;

process.on('disconnect', () => process.exit());
process.on('message', (job) => {
  run(job).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.message }),
  );
});

/** @param job {port, credentials, seconds, connections, card} to create, with paymentIds in the place of card to read. */
async function run({ port, credentials, seconds, connections, card, paymentIds }) {
  const requests = new Requests(credentials);
  const next = card === undefined ? requests.reads(paymentIds) : requests.creates(card);
  const tally = { status: card === undefined ? '200' : '201', latencies: [], paymentIds: [], last: null };
  const cpu = process.cpuUsage();
  const startedAt = Date.now();
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(Array.from({ length: connections }, () => keepAsking(port, next, until, tally)));
  const elapsedMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = Float64Array.from(tally.latencies).sort();
  return {
    startedAt,
    answers: sorted.length,
    perSecond: (sorted.length * 1000) / elapsedMs,
    p50Ms: sorted[Math.floor(sorted.length * 0.5)],
    p99Ms: sorted[Math.floor(sorted.length * 0.99)],
    loadCpu: (user + system) / 1000 / elapsedMs,
    paymentIds: tally.paymentIds,
    lastBody: JSON.parse(tally.last.subarray(tally.last.indexOf('\r\n\r\n'))),
  };
}

/** Asks on one connection until the time is over and the last answer has come. */
function keepAsking(port, next, until, tally) {
  return new Promise((resolve, reject) => {
    let received = null;
    let sentAt = 0;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, ask);
    socket.setTimeout(MAX_ANSWER_MS, () => socket.destroy(new Error(`No answer within ${MAX_ANSWER_MS} ms`)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection was closed in the middle of the load')));
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const head = completeHead(received);
      if (head === null) return;
      const answer = received;
      received = null;
      if (!head.startsWith(`HTTP/1.1 ${tally.status}`)) return socket.destroy(new Error(`Answered:\n${answer}`));
      tally.latencies.push(performance.now() - sentAt);
      tally.last = answer;
      const created = /^location: .*\/(\w+)/im.exec(head);
      if (created !== null) tally.paymentIds.push(created[1]);
      if (performance.now() < until) return ask();
      resolve();
      socket.destroy();
    });
    function ask() {
      sentAt = performance.now();
      socket.write(next());
    }
  });
}

/** The head of the answer once all of it has come, else null. */
function completeHead(bytes) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const head = bytes.latin1Slice(0, headEnd);
  const length = /^content-length: (\d+)/im.exec(head);
  if (length === null) throw new Error(`An answer without Content-Length:\n${head}`);
  return bytes.length >= headEnd + 4 + Number(length[1]) ? head : null;
}
