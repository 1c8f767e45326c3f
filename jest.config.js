'use strict';

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/test'],
  testMatch: ['**/*.spec.ts'],
  // No options here: @swc/jest then reads .swcrc, so specs are compiled the way the service is.
  transform: { '^.+\\.ts$': ['@swc/jest'] },
  moduleNameMapper: { '^@app/(.*)$': '<rootDir>/libs/$1' },
  // Most of the long suites wait for processes that they started: two at a time also where there are two cores.
  maxWorkers: 2,
  testTimeout: 30_000,
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  reporters: ['default', '<rootDir>/scripts/openapi-coverage.cjs', '<rootDir>/scripts/jest-summary.cjs'],
};
