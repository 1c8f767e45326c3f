'use strict';

const { long, endToEnd, anyStore, everyDay, costly } = require('./scripts/test-sets.cjs');

/** @type {import('jest').Config} */
const common = {
  rootDir: __dirname,
  testEnvironment: 'node',
  // No options here: @swc/jest then reads .swcrc, so specs are compiled the way the service is.
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^@app/(.*)$': '<rootDir>/libs/$1' },
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
};

const { TEST_ALL, TEST_LONG, TEST_GIVEN_EVENTSTORE, EVENTSTORE_URL } = process.env;
if (TEST_GIVEN_EVENTSTORE === 'true' && !EVENTSTORE_URL) {
  throw new Error('EVENTSTORE_URL has to name the server to verify, such as esdb://127.0.0.1:2113?tls=false');
}

const inRoot = (files) => files.map((file) => `<rootDir>/${file}`);

const project = (displayName, testMatch, more = {}) => ({
  ...common,
  displayName,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: inRoot(testMatch),
  ...more,
});

const ignoring = (...files) => ({ testPathIgnorePatterns: ['/node_modules/', ...inRoot(files)] });

/** The service as one process on its own log, and everything that starts no service. */
const embedded = (testMatch, ...ignored) => project('embedded', testMatch, ignoring(...ignored));

const onEventStoreDb = (testMatch) =>
  project('eventstoredb', testMatch, { setupFiles: ['<rootDir>/test/support/on-eventstoredb.ts'] });

/** Each role as a process of its own, on EventStoreDB and Redis. */
const distributed = (testMatch) =>
  project('distributed', testMatch, { setupFiles: ['<rootDir>/test/support/distributed.ts'] });

const libraries = ['apps/**/*.spec.ts', 'libs/**/*.spec.ts'];
const anywhere = [...endToEnd, ...anyStore];

/** `npm test` */
const daily = [
  embedded([...libraries, ...everyDay.embedded], ...costly),
  onEventStoreDb(everyDay.eventstoredb),
  distributed(everyDay.distributed),
];

/**
 * `npm run verify`: everything but the long ones. Of one process on EventStoreDB only what would fail where the log doesn't keep
 * what it promises; the distributed service, which runs all of them, is on EventStoreDB as well.
 */
const all = [
  embedded([...libraries, 'test/**/*.spec.ts'], 'test/api/', ...long),
  onEventStoreDb(['test/end-to-end/payments.spec.ts', 'test/scenarios/chain.spec.ts']),
  distributed(anywhere),
];

/** Specs that are named on the command line: whichever set they are in, and the suites of test/api one by one. */
const named = [
  embedded([...libraries, 'test/**/*.spec.ts'], ...long),
  onEventStoreDb([...anywhere, 'test/api/*.spec.ts']),
  distributed([...anywhere, 'test/api/*.spec.ts']),
];

/** `npm run verify:long`: also the year of books, which is then one of a hundred thousand payments. */
const longOnes = [project('long', [...long, 'libs/audit/books/books-of-a-year.spec.ts']), onEventStoreDb(anywhere)];

/** `npm run verify:eventstore`: what the service relies on in an event store, and the service on it, for a server that is given. */
const onGivenServer = [
  project(
    'adapter',
    ['event-store', 'deletions'].map((name) => `libs/stores/eventstoredb/${name}.spec.ts`),
  ),
  onEventStoreDb(anywhere),
  distributed(anywhere),
];

function projects() {
  if (TEST_GIVEN_EVENTSTORE === 'true') return onGivenServer;
  if (TEST_LONG === 'true') return longOnes;
  if (process.argv.slice(2).some((argument) => /^(?:\.\/)?(?:apps|libs|test)\b/.test(argument))) return named;
  return TEST_ALL === 'true' ? all : daily;
}

/** @type {import('jest').Config} */
module.exports = {
  projects: projects(),
  // Many specs wait for what they started, so there are more at a time than cores; the scenarios of the whole set start processes.
  maxWorkers: TEST_ALL === 'true' ? 2 : 3,
  // A limit for what hangs: how long a test takes is for the machine to say.
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/scripts/openapi-coverage.cjs', '<rootDir>/scripts/jest-summary.cjs'],
};
