import { rowOf } from './table.mjs';

const WIDTHS = [37, 9, 9, 9, 9, 9, 9, 9, 9];
const RATES = [
  ['embedded', 'one process, embedded stores'],
  ['oneApi', 'a process a role'],
  ['twoApis', 'a process a role, two APIs'],
  ['twoProjectors', 'a process a role, two projectors'],
  ['oneReceiver', 'a process a role, one receiver'],
  ['twoWebhooks', 'two webhooks processes, one receiver'],
];
const PROCESSES = ['whole', 'api', 'projector', 'processor', 'webhooks', 'eventStore', 'redis'];
/** What comes less often than this for a life is left out: it comes by the clock, or once. */
const SHOWN_FROM = 0.05;

const row = (cells) => rowOf(WIDTHS, cells);
const ms = (value) => (value ?? 0).toFixed(2);
const whole = (value) => value.toFixed(0);

export function rolesReport({ summary, idle, sent, types, create }) {
  return [
    '',
    'Whole lives of payments: created, authorized, captured, webhook acknowledged; each begun when one before has ended:',
    row(['', 'lives/s', 'of one', 'create', 'create', 'life', 'life', 'load']),
    row(['', '', 'process', 'p50 ms', 'p99 ms', 'p50 ms', 'p99 ms', 'CPU']),
    ...RATES.map(([name, label]) => rateRow(label, summary[name], summary.embedded)),
    '',
    'Milliseconds of a processor that each life costs each process, and what else is used of them while nothing happens:',
    row(['', ...PROCESSES, 'all']),
    ...RATES.map(([name, label]) => cpuRow(label, summary[name])),
    cpuRow('a create alone (3DS card), one API', create),
    row(['idle, % of a processor', ...PROCESSES.map((name) => dash(idle[`${name}CpuMs`], (used) => ms(used / 10)))]),
    '',
    'What is stored of each, with a process a role, and the commands that Redis ran for it, those of scripts included:',
    row(['', 'events', 'bytes', 'of file', 'in Redis', 'commands', 'scripts']),
    storedRow('life, one API', summary.oneApi),
    storedRow('life, two APIs', summary.twoApis),
    storedRow('create alone (3DS card)', create),
    `A second in which nothing happens: ${whole(idle.redisCommands)} commands, ${whole(idle.redisScripts)} scripts.`,
    '',
    `Events of a life: ${eventsOf(types)}`,
    '',
    'Sent to Redis for each life, the payments under way together or one at a time; what is sent by the clock is in it:',
    ...sentRows(sent),
  ];
}

function rateRow(label, result, embedded) {
  const { perSecond, createP50Ms, createP99Ms, p50Ms, p99Ms, loadCpu } = result;
  const share = `${whole((perSecond / embedded.perSecond) * 100)} %`;
  const times = [createP50Ms, createP99Ms, p50Ms, p99Ms].map((value) => value.toFixed(1));
  return row([label, whole(perSecond), share, ...times, `${whole(loadCpu * 100)} %`]);
}

function cpuRow(label, result) {
  const used = PROCESSES.map((name) => result[`${name}CpuMs`]);
  return row([label, ...used.map((value) => dash(value, ms)), ms(used.reduce((sum, value) => sum + (value ?? 0), 0))]);
}

function storedRow(label, { events, logBytes, fileBytes, redisBytes, redisCommands, redisScripts }) {
  const sizes = [logBytes, fileBytes, redisBytes].map(whole);
  return row([label, events.toFixed(2), ...sizes, redisCommands.toFixed(1), redisScripts.toFixed(1)]);
}

function eventsOf(types) {
  const shown = types.filter(({ each }) => each >= SHOWN_FROM);
  return shown.map(({ type, each, bytes }) => `${each.toFixed(2)} ${type} (${whole(bytes)} bytes)`).join(', ');
}

function sentRows({ many, one }) {
  const each = (rows, known) =>
    rows.find(({ role, command }) => role === known.role && command === known.command)?.each ?? 0;
  const shown = one.filter((known) => Math.max(known.each, each(many, known)) >= SHOWN_FROM);
  const inOrder = shown.sort((a, b) => a.role.localeCompare(b.role) || b.each - a.each);
  return [
    row(['', 'together', 'alone']),
    ...inOrder.map((known) => row([`${known.role} ${known.command}`, ms(each(many, known)), ms(known.each)])),
  ];
}

const dash = (value, format) => (value === undefined ? '–' : format(value));
