'use strict';

/** @type {import('jest').Config} */
const common = {
  rootDir: __dirname,
  testEnvironment: 'node',
  // No options here: @swc/jest then reads .swcrc, so specs are compiled the way the service is.
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^@app/(.*)$': '<rootDir>/libs/$1' },
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
};

const specs = (...paths) => paths.map((path) => `<rootDir>/test/${path}.spec.ts`);

/** Scenarios whose matter does not depend on where the log is; the others start their own, or are about the file. */
const scenarios = specs(
  ...['card-data', 'chain', 'crash', 'deleted-streams', 'lost-read-store', 'master-key-rotation', 'shutdown'].map(
    (name) => `scenarios/${name}`,
  ),
);

/** The API's suites in few files, each with one start of the service; test/api has them one by one. */
const endToEnd = [...specs('apart/*'), ...scenarios];

/**
 * Those that would fail where the log doesn't keep what it promises. One process on EventStoreDB runs them each time, and all
 * others with the long ones: the distributed service, which runs all of them each time, is on EventStoreDB as well.
 */
const aboutTheLog = specs('api/create', 'api/idempotency', 'api/refund', 'scenarios/chain', 'scenarios/crash');

const long = require('./scripts/long-scenarios.cjs').map((file) => `<rootDir>/${file}`);
const { TEST_LONG, TEST_GIVEN_EVENTSTORE, EVENTSTORE_URL } = process.env;
if (TEST_GIVEN_EVENTSTORE === 'true' && !EVENTSTORE_URL) {
  throw new Error('EVENTSTORE_URL has to name the server to verify, such as esdb://127.0.0.1:2113?tls=false');
}

const longProject = { ...common, displayName: 'long', roots: ['<rootDir>/test'], testMatch: long };

const onEventStoreDb = (testMatch) => ({
  ...common,
  displayName: 'eventstoredb',
  roots: ['<rootDir>/test'],
  testMatch,
  setupFiles: ['<rootDir>/test/support/on-eventstoredb.ts'],
});

const distributed = {
  ...common,
  displayName: 'distributed',
  roots: ['<rootDir>/test'],
  testMatch: endToEnd,
  setupFiles: ['<rootDir>/test/support/distributed.ts'],
};

/** What the service relies on in an event store, and the service on it: for a server that is given. */
const onGivenServer = [
  {
    ...common,
    displayName: 'adapter',
    roots: ['<rootDir>/libs'],
    testMatch: ['event-store', 'deletions'].map((name) => `<rootDir>/libs/stores/eventstoredb/${name}.spec.ts`),
  },
  onEventStoreDb(endToEnd),
  distributed,
];

const everyTime = [
  {
    ...common,
    displayName: 'embedded',
    roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
    testMatch: ['**/*.spec.ts'],
    testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/apart/', ...long],
  },
  onEventStoreDb(aboutTheLog),
  distributed,
];

function projects() {
  if (TEST_GIVEN_EVENTSTORE === 'true') return onGivenServer;
  return TEST_LONG === 'true' ? [longProject, onEventStoreDb(endToEnd)] : everyTime;
}

/** @type {import('jest').Config} */
module.exports = {
  projects: projects(),
  // Most of the long suites wait for processes that they started: two at a time also where there are two cores.
  maxWorkers: 2,
  // A limit for what hangs: how long a test takes is for the machine to say.
  testTimeout: 120_000,
  reporters: ['default', '<rootDir>/scripts/openapi-coverage.cjs', '<rootDir>/scripts/jest-summary.cjs'],
};
