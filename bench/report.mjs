import { SIZES } from './lists.mjs';
import { rolesReport } from './roles-report.mjs';
import { rowOf } from './table.mjs';

const WIDTHS = [38, 10, 9, 9, 9, 10, 9];

const API_ROWS = [
  ['bareCreate', 'POST, bare Fastify', null],
  ['floorCreate', '  + signature and one durable append', 'bareCreate'],
  ['create', 'POST, create (3DS card)', 'bareCreate'],
  ['bareRead', 'GET, bare Fastify', null],
  ['read', 'GET, read a payment', 'bareRead'],
  ['bareBatch', 'POST, bare Fastify, 100 payments', null],
  ['batch', 'POST, batch query of 100 payments', 'bareBatch'],
  ['lifeCycle', 'POST, create and whole life cycle', 'bareCreate'],
];
const LIST_ROWS = [
  ['fewFirst', `first page of ${SIZES.few} payments`, null],
  ['manyFirst', `first page of ${SIZES.many} payments`, 'fewFirst'],
  ['fewDeep', `deep page of ${SIZES.few} payments`, null],
  ['manyDeep', `deep page of ${SIZES.many} payments`, 'fewDeep'],
];
const APPEND_ROWS = [
  ['bareAppend', 'append, bare client', null],
  ['adapterAppend', 'append, adapter', 'bareAppend'],
];
const CREATE_ROWS = [
  ['embeddedCreate', 'POST, create, embedded log', null],
  ['eventStoreCreate', 'POST, create, EventStoreDB', 'embeddedCreate'],
];

/** What was measured, as tables of the medians of the rounds. */
export function report({ setup, api, lists, rebuild, eventStore, redis, roles }) {
  const { seconds, rounds, connections, processors, processor, node, fsyncMs } = setup;
  return [
    '',
    `Medians of ${rounds} rounds of ${seconds} s, ${connections} connections, Node ${node}, ${processors} × ${processor}`,
    `Append of 4 KiB + fdatasync where the data lies: ${fsyncMs.toFixed(2)} ms`,
    'CPU ms: what the server used of a processor for each answer, background work included',
    ...(api === null ? [] : apiReport(api.summary)),
    ...(lists === null ? ['', LISTS_LEFT_OUT] : listReport(lists)),
    ...(rebuild === null ? ['', REBUILD_LEFT_OUT] : rebuildReport(rebuild)),
    ...(eventStore === null ? ['', EVENT_STORE_LEFT_OUT] : eventStoreReport(eventStore.summary)),
    ...(redis === null ? ['', REDIS_LEFT_OUT] : redisReport(redis.summary)),
    ...(roles === null ? ['', ROLES_LEFT_OUT] : rolesReport(roles)),
  ].join('\n');
}

const LISTS_LEFT_OUT = `Pages of lists at ${SIZES.many} payments: npm run bench -- --lists (some minutes more)`;
const REBUILD_LEFT_OUT = 'Rebuilds of read models: npm run bench -- --rebuild (a minute more)';
const EVENT_STORE_LEFT_OUT = 'EventStoreDB: npm run bench -- --eventstore (some minutes more)';
const REDIS_LEFT_OUT = 'Redis: npm run bench -- --redis (a minute more)';
const ROLES_LEFT_OUT =
  'A process for each role, and what a payment costs each: npm run bench -- --roles (some minutes more)';

function apiReport(summary) {
  const { completedPerSecond, wholePerSecond } = summary.lifeCycle;
  const { webhook, pacedWebhook } = summary;
  return [
    'Service in one process on the embedded stores, RATE_LIMIT=off, LOG_LEVEL=warn; load from a process of its own',
    'that signs each create as it goes, the bare ones too. The second row is what no create can do without, and nothing else.',
    '',
    ...table('of bare', API_ROWS, summary),
    '',
    `Life cycle: ${completedPerSecond.toFixed(0)} payments/s completed while creates went on; counted until the last one was`,
    `completed, ${wholePerSecond.toFixed(0)} payments/s created, authorized and captured.`,
    '',
    'From the answer of a create to the webhook that a receiver in a process of its own has acknowledged:',
    row(['', 'lives/s', '', 'p50 ms', 'p99 ms']),
    lifeRow('each begun when one before has ended', webhook),
    lifeRow('begun at half that rate', pacedWebhook),
  ];
}

function lifeRow(label, { perSecond, p50Ms, p99Ms }) {
  return row([label, perSecond.toFixed(0), '', p50Ms.toFixed(1), p99Ms.toFixed(1)]);
}

function listReport({ summary, seeded, built }) {
  return [
    '',
    "Pages of 20 of one merchant's payments; each deep page is another one of the list's second half:",
    ...table('of few', LIST_ROWS, summary),
    `The ${SIZES.many} payments were ${seeded.events} events, written at ${seeded.eventsPerSecond.toFixed(0)} events/s. Once the service was ready, ` +
      `the list could be read after ${built.seconds.toFixed(1)} s`,
    `(${built.eventsPerSecond.toFixed(0)} events/s, all read models being built at once), and all of them were done after ${built.allSeconds.toFixed(1)} s: ` +
      `${built.cpuMsPerEvent.toFixed(3)} ms of a processor an event.`,
  ];
}

function eventStoreReport(summary) {
  const { bareFollow, adapterFollow } = summary;
  const perSecond = (result) => result.perSecond.toFixed(0);
  return [
    '',
    'Appends of one event to a stream of its own, each client in a process of its own, on the same server:',
    ...table('of bare', APPEND_ROWS, summary),
    `Catch-up subscription: ${perSecond(bareFollow)} events/s by the bare client, ${perSecond(adapterFollow)} by the adapter ` +
      `(${percent(adapterFollow.perSecond / bareFollow.perSecond)}).`,
    '',
    ...table('of it', CREATE_ROWS, summary),
  ];
}

function rebuildReport({ summary, seeded }) {
  const rowOf = (label, { perSecond, cpuMsPerEvent, earlyMb, peakMb }) =>
    row([label, perSecond.toFixed(0), '', cpuMsPerEvent.toFixed(4), '', earlyMb.toFixed(0), peakMb.toFixed(0)]);
  return [
    '',
    `Rebuilds from ${seeded.events} events, in one process that does nothing beside; memory after a tenth of the time, and at most:`,
    row(['', 'events/s', '', 'CPU ms', '', 'MB', 'peak MB']),
    rowOf('payments alone', summary.payments),
    rowOf('all read models at once', summary.everything),
  ];
}

function redisReport({ bareRebuild, adapterRebuild }) {
  const perSecond = (result) => result.perSecond.toFixed(0);
  return [
    '',
    `Commits of a rebuild of the payments to Redis: ${perSecond(bareRebuild)} events/s as commands pipelined by the bare client,`,
    `${perSecond(adapterRebuild)} by the adapter (${percent(adapterRebuild.perSecond / bareRebuild.perSecond)}).`,
  ];
}

function table(ratioTitle, rows, summary) {
  const lines = rows.map(([name, label, base]) => {
    const { perSecond, p50Ms, p99Ms, serverCpuMs, loadCpu } = summary[name];
    const ratio = base === null ? '' : percent(perSecond / summary[base].perSecond);
    return row([
      label,
      perSecond.toFixed(0),
      ratio,
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      serverCpuMs.toFixed(3),
      percent(loadCpu),
    ]);
  });
  return [row(['', 'answers/s', ratioTitle, 'p50 ms', 'p99 ms', 'CPU ms', 'load CPU']), ...lines];
}

const row = (cells) => rowOf(WIDTHS, cells);

function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}
