// The load, in a process of its own: as many connections as asked for, each with one request in flight at a time.
import { bodyOf, Connection } from './connection.mjs';
import { serveJobs } from './jobs.mjs';
import { measured, processorShare } from './numbers.mjs';
import { Requests } from './requests.mjs';

serveJobs(run);

/** @param job {port, credentials, seconds, connections, ask}, where `ask` is one of what `Requests.of` takes. */
async function run({ port, credentials, seconds, connections, ask }) {
  const { status, next } = new Requests(credentials).of(ask);
  const tally = { status, latencies: [], paymentIds: [], last: null };
  const all = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const share = processorShare();
  const startedAt = Date.now();
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(all.map((connection) => keepAsking(connection, next, until, tally)));
  const numbers = measured(tally.latencies, performance.now() - started);
  const { paymentIds, last } = tally;
  return { startedAt, ...numbers, loadCpu: share(), paymentIds, lastBody: bodyOf(last) };
}

/** Asks on one connection until the time is over and the last answer has come; once at least. */
async function keepAsking(connection, next, until, tally) {
  do {
    const sentAt = performance.now();
    const answer = await connection.ask(next(), tally.status);
    tally.latencies.push(performance.now() - sentAt);
    tally.last = answer;
    const created = /^location: .*\/(\w+)/im.exec(answer.head);
    if (created !== null) tally.paymentIds.push(created[1]);
  } while (performance.now() < until);
  connection.close();
}
