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

/** The end-to-end tests whose matter does not depend on where the log is; the others start their own, or are about the file. */
const endToEnd = [
  'test/api/*',
  ...['card-data', 'chain', 'crash', 'lost-read-store', 'master-key-rotation', 'shutdown'].map(
    (name) => `test/scenarios/${name}`,
  ),
];

const long = require('./scripts/long-scenarios.cjs').map((file) => `<rootDir>/${file}`);
const isLong = process.env.TEST_LONG === 'true';

const longProject = { ...common, displayName: 'long', roots: ['<rootDir>/test'], testMatch: long };

/** @type {import('jest').Config} */
module.exports = {
  projects: isLong
    ? [longProject]
    : [
        {
          ...common,
          displayName: 'embedded',
          roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
          testMatch: ['**/*.spec.ts'],
          testPathIgnorePatterns: ['/node_modules/', ...long],
        },
        {
          ...common,
          displayName: 'eventstoredb',
          roots: ['<rootDir>/test'],
          testMatch: endToEnd.map((path) => `<rootDir>/${path}.spec.ts`),
          setupFiles: ['<rootDir>/test/support/on-eventstoredb.ts'],
        },
        {
          ...common,
          displayName: 'distributed',
          roots: ['<rootDir>/test'],
          testMatch: endToEnd.map((path) => `<rootDir>/${path}.spec.ts`),
          setupFiles: ['<rootDir>/test/support/distributed.ts'],
        },
      ],
  // Most of the long suites wait for processes that they started: two at a time also where there are two cores.
  maxWorkers: 2,
  testTimeout: 30_000,
  reporters: ['default', '<rootDir>/scripts/openapi-coverage.cjs', '<rootDir>/scripts/jest-summary.cjs'],
};
