import { type Difference, lines } from './difference';
import { ANY } from './outcome';

/** Differences of the system projections, and of calls on others. */
export const PROJECTION_DIFFERENCES: readonly Difference[] = [
  {
    what: 'Projections in JavaScript',
    there: 'run, if enabled',
    here: 'UNIMPLEMENTED',
    why: 'there are system projections only',
    instead(_recorded, { name }) {
      if (/client\/proj create$/.test(name)) return [`cls=${ANY}`];
      return /^projection\/((update|delete) |call: create$)/.test(name) ? [`12 UNIMPLEMENTED: ${ANY}`] : null;
    },
  },
  {
    what: 'Projections of unknown names',
    there: 'UNKNOWN',
    here: 'NOT_FOUND',
    why: 'newer versions say so too',
    instead(recorded, { name }) {
      if (/client\/proj (enable|status) unknown$/.test(name)) return ['cls=NotFoundError type=not-found'];
      return lines(recorded, (line) => line.replace(/^2 UNKNOWN(: .* received NotFound instead)$/, '5 NOT_FOUND$1'));
    },
  },
  {
    what: 'A projection whose stream was written to by others',
    there: 'fails and stops for good',
    here: 'goes on',
    why: 'one stray event must not stop an index',
    instead: (recorded, { name }) =>
      name === 'projection/user append to $ce stream'
        ? lines(recorded, (line) => line.replace(/^Faulted .*$/, 'Running'))
        : null,
  },
  {
    what: 'Version and epoch of a reset projection',
    there: 'count its changes',
    here: 'stay 1 and −1',
    why: 'no link is written twice, so they need no telling apart',
    instead: (recorded, { name }) =>
      name === 'projection/reset $by_category'
        ? lines(recorded, (line) => line.replace('version=4 epoch=4', 'version=1 epoch=-1'))
        : null,
  },
  {
    what: 'The first events of a new log',
    there: 'users, statistics, and each system projection’s settings',
    here: 'one event, `$ProjectionsInitialized`',
    why: 'there is nothing else to record',
    instead: (_recorded, { name }) =>
      name.startsWith('projection/initial ') ? ['$projections-$all $ProjectionsInitialized'] : null,
  },
];
