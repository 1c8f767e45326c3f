import type { Difference } from './difference';
import { ANY, type Outcome } from './outcome';

const MISSING: Outcome = ['404 no type empty'];
const NOT_HERE = [
  '/web/index.html',
  '/metrics',
  '/projections/any',
  '/subscriptions',
  '/info/options',
  '/stats/replication',
];

/** Differences over HTTP/1.1. */
export const HTTP1_DIFFERENCES: readonly Difference[] = [
  {
    what: 'Writes and management over HTTP/1.1',
    there: 'carried out',
    here: '405, which says where to write',
    why: 'clients use gRPC',
    instead: (_recorded, { name }) =>
      /^http1\/(POST|DELETE) /.test(name) ? ['405 text/plain; charset=utf-8 text'] : null,
  },
  {
    what: 'Pages, metrics, options and lists over HTTP/1.1',
    there: 'a console and its requests; some give no answer if metrics are off',
    here: '404; health and metrics have their own port, `/stats` has a few of the process',
    why: 'there is no console',
    instead(_recorded, { name }) {
      if (name === 'http1/GET /stats') return [`200 application/json; charset=utf-8 keys=${ANY}`];
      return NOT_HERE.some((path) => name === `http1/GET ${path}`) ? MISSING : null;
    },
  },
  {
    what: 'A stream that does not exist, over HTTP/1.1',
    there: '404 without a body',
    here: '404 with a message',
    why: 'useful with curl',
    instead: (_recorded, { name }) =>
      name === 'http1/GET missing stream as json' ? ['404 text/plain; charset=utf-8 text'] : null,
  },
];
