const ROWS = [
  ['bareCreate', 'POST, bare Fastify', null],
  ['create', 'POST, create (3DS card)', 'bareCreate'],
  ['bareRead', 'GET, bare Fastify', null],
  ['read', 'GET, read a payment', 'bareRead'],
  ['lifeCycle', 'POST, create and whole life cycle', 'bareCreate'],
];
const WIDTHS = [34, 10, 9, 9, 9, 10];

/** The medians of the rounds as a table. */
export function report({ setup, summary }) {
  const { seconds, rounds, connections, processors, processor, node, fsyncMs } = setup;
  const row = (cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[0]) : cell.padStart(WIDTHS[index]))).join('');
  const lines = ROWS.map(([name, label, base]) => {
    const { perSecond, p50Ms, p99Ms, loadCpu } = summary[name];
    const ratio = base === null ? '' : percent(perSecond / summary[base].perSecond);
    return row([label, perSecond.toFixed(0), ratio, p50Ms.toFixed(1), p99Ms.toFixed(1), percent(loadCpu)]);
  });
  const { completedPerSecond, wholePerSecond } = summary.lifeCycle;
  return [
    '',
    `Medians of ${rounds} rounds of ${seconds} s, ${connections} connections, Node ${node}, ${processors} × ${processor}`,
    `Append of 4 KiB + fdatasync where the data lies: ${fsyncMs.toFixed(2)} ms`,
    'Service in one process on the embedded stores, RATE_LIMIT=off, LOG_LEVEL=warn; load from a process of its own',
    'that signs each create as it goes, the bare ones too.',
    '',
    row(['', 'answers/s', 'of bare', 'p50 ms', 'p99 ms', 'load CPU']),
    ...lines,
    '',
    `Life cycle: ${completedPerSecond.toFixed(0)} payments/s completed while creates went on; counted until the last one was`,
    `completed, ${wholePerSecond.toFixed(0)} payments/s created, authorized and captured.`,
  ].join('\n');
}

function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}
