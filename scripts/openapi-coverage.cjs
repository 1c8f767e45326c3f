'use strict';

const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');

const longScenarios = require('./long-scenarios.cjs');

const root = join(__dirname, '..');
const report = join(root, 'node_modules/.cache/counterfoil/openapi-never-met.txt');

/** Answers that are documented though no test meets them. The run also fails when one is met after all. */
const EXCEPTIONS = [
  {
    answer: /^\w+ 500 INTERNAL_ERROR$/,
    why: 'A defect of the service: whatever a test could do to be answered so would have to be repaired.',
  },
];

/** What is wrong with these documented answers, of which the tests met some. */
function problemsOf(documented, met, exceptions = EXCEPTIONS) {
  const isException = (answer) => exceptions.some((exception) => exception.answer.test(answer));
  const unused = exceptions.filter((exception) => !documented.some((answer) => exception.answer.test(answer)));
  return [
    ...documented
      .filter((answer) => met.has(answer) === isException(answer))
      .map((answer) =>
        met.has(answer)
          ? `${answer} is an exception in scripts/openapi-coverage.cjs, and was met`
          : `${answer} is documented, and no test was answered so`,
      ),
    ...unused.map(({ answer }) => `${answer} is an exception in scripts/openapi-coverage.cjs, and is not documented`),
  ];
}

/** Whether every end-to-end test but the long ones ran, and passed: only then does an answer that was not met tell something. */
function isWholeRun({ testResults, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
  if (numFailedTests + numPendingTests + numRuntimeErrorTestSuites > 0) return false;
  const ran = new Set(testResults.map(({ testFilePath }) => testFilePath));
  return ['test/api', 'test/scenarios'].every((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .filter((file) => file.endsWith('.spec.ts') && !longScenarios.includes(file))
      .every((file) => ran.has(join(root, file))),
  );
}

/**
 * Holds all answers that the end-to-end tests were given against the document: each documented one is to be met. What is
 * answered and not documented fails its own test at once (test/support/openapi-conformance.ts).
 */
class OpenApiCoverageReporter {
  onRunStart() {
    // The processes that run the tests are started later, and inherit it.
    process.env.OPENAPI_SEEN_DIRECTORY = mkdtempSync(join(tmpdir(), 'openapi-seen-'));
  }

  onRunComplete(_contexts, results) {
    const directory = process.env.OPENAPI_SEEN_DIRECTORY;
    const lines = new Set(
      readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')),
    );
    rmSync(directory, { recursive: true });
    const documented = [...lines].filter((line) => line.startsWith('documented ')).map((line) => line.slice(11));
    const met = new Set([...lines].filter((line) => line.startsWith('seen ')).map((line) => line.slice(5)));
    if (documented.length === 0) return;
    const problems = problemsOf(documented, met);
    mkdirSync(dirname(report), { recursive: true });
    writeFileSync(report, problems.map((problem) => `${problem}\n`).join(''));
    const count = documented.filter((answer) => met.has(answer)).length;
    process.stdout.write(
      `OpenAPI: ${count} of ${documented.length} documented answers were met; see node_modules/.cache/counterfoil/openapi-never-met.txt\n`,
    );
    // Whether too many wait at once (BUSY) hangs on the machine: a run says what it met, and fails for it where that is asked for.
    if (problems.length === 0 || process.env.OPENAPI_COVERAGE !== 'enforce' || !isWholeRun(results)) return;
    process.stdout.write(`The document and what the service answers differ:\n${problems.join('\n')}\n`);
    // As one failed test more: Jest's exit code, its summary and ours go by these numbers.
    results.numTotalTests += 1;
    results.numFailedTests += 1;
  }
}

module.exports = OpenApiCoverageReporter;
module.exports.problemsOf = problemsOf;
module.exports.isWholeRun = isWholeRun;
