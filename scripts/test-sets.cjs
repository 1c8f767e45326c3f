'use strict';

const scenarios = (...names) => names.map((name) => `test/scenarios/${name}.spec.ts`);

/**
 * Minutes of killed and frozen processes, clocks that are set, read models that lose parts, and full disks. Only `npm
 * run verify:long` runs these.
 */
const long = scenarios(
  ...['full-disk', 'lost-parts', 'rebuild-killed', 'roles-killed', 'rolling-release', 'roles-redis', 'roles-clocks'],
);

/** The suites of test/api, combined into a few files that start the service once each. */
const endToEnd = ['customers', 'operators', 'payments', 'reads'].map((name) => `test/end-to-end/${name}.spec.ts`);

/** Scenarios that don't depend on where the log is; the others start their own event store, or test the log's file. */
const anyStore = scenarios(
  ...['audit', 'card-data', 'chain', 'crash', 'deleted-streams', 'lost-read-store', 'master-key-rotation', 'shutdown'],
);

/** What `npm test` runs besides the libraries' specs, and on which stores. */
const everyDay = {
  embedded: [
    ...endToEnd,
    ...['events/*', 'toolchain/openapi-coverage', 'toolchain/test-sets', 'scenarios/payment-model'].map(
      (name) => `test/${name}.spec.ts`,
    ),
  ],
  eventstoredb: ['test/api/create.spec.ts'],
  distributed: ['test/end-to-end/payments.spec.ts'],
};

/** Library specs that each take as long as dozens of others; `npm run verify` runs them. */
const costly = [
  'libs/payments/reactor/races.spec.ts',
  'libs/eventstore-server/recorded-answers.spec.ts',
  'libs/eventstore-server/projections.spec.ts',
  'libs/eventstore-server/kurrentdb-client.spec.ts',
  'libs/eventstore-server/reads.spec.ts',
  'libs/stores/eventstoredb/live-tail.spec.ts',
  'libs/stores/eventstoredb/large-events.spec.ts',
  'libs/stores/sqlite/event-log/followed-event-store.spec.ts',
  'libs/stores/sqlite/read-store/split-read-store.spec.ts',
];

module.exports = { long, endToEnd, anyStore, everyDay, costly };
