'use strict';

const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join, relative } = require('node:path');

const { long } = require('./test-sets.cjs');

const root = join(__dirname, '..');
const report = join(root, 'node_modules/.cache/counterfoil/openapi-never-met.txt');

/** Documented answers that no test gets. The run also fails if a test does get one. */
const EXCEPTIONS = [
  {
    answer: /^\w+ 500 INTERNAL_ERROR$/,
    why: 'A defect of the service: whatever a test could do to be answered so would have to be repaired.',
  },
];

/** Problems with the documented answers; `met` are those that tests got. */
function problemsOf(documented, met, exceptions = EXCEPTIONS) {
  const isException = (answer) => exceptions.some((exception) => exception.answer.test(answer));
  const unused = exceptions.filter(({ answer }) => !documented.some((one) => answer.test(one)));
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

/** Whether all end-to-end tests except the long ones ran and passed: only then does a missing answer count. */
function isWholeRun({ testResults, numFailedTests, numPendingTests, numRuntimeErrorTestSuites }) {
  if (numFailedTests + numPendingTests + numRuntimeErrorTestSuites > 0) return false;
  const ran = new Set(testResults.map(({ testFilePath }) => testFilePath));
  return ['test/end-to-end', 'test/scenarios'].every((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .filter((file) => file.endsWith('.spec.ts') && !long.includes(file))
      .every((file) => ran.has(join(root, file))),
  );
}

/** @returns the assessment of what the tests recorded: a summary line, the problems, and whether the run fails. */
function judge(lines, results) {
  const noted = (kind) => lines.flatMap((line) => (line.startsWith(`${kind} `) ? [line.slice(kind.length + 1)] : []));
  const documented = [...new Set(noted('documented'))];
  const met = new Set(noted('seen'));
  const problems = problemsOf(documented, met);
  const count = documented.filter((answer) => met.has(answer)).length;
  return {
    summary: `OpenAPI: ${count} of ${documented.length} documented answers were met`,
    problems,
    // A partial run proves nothing: the other tests may get the missing answers.
    fails: problems.length > 0 && isWholeRun(results),
  };
}

/**
 * Compares all answers that the end-to-end tests got with the document: a whole run fails if a documented answer is
 * missing. An undocumented answer fails its own test at once (test/support/openapi-conformance.ts).
 */
class OpenApiCoverageReporter {
  onRunStart() {
    // The test processes start later and inherit the variable.
    process.env.OPENAPI_SEEN_DIRECTORY = mkdtempSync(join(tmpdir(), 'openapi-seen-'));
  }

  onRunComplete(_contexts, results) {
    const directory = process.env.OPENAPI_SEEN_DIRECTORY;
    const files = readdirSync(directory).map((name) => readFileSync(join(directory, name), 'utf8'));
    rmSync(directory, { recursive: true });
    const { summary, problems, fails } = judge(files.join('').split('\n'), results);
    if (files.length === 0 && !fails) return;
    mkdirSync(dirname(report), { recursive: true });
    writeFileSync(report, problems.map((problem) => `${problem}\n`).join(''));
    process.stdout.write(`${summary}; see ${relative(root, report)}\n`);
    if (!fails) return;
    process.stdout.write(
      `The run fails, as the document and what the service answers differ:\n${problems.map((problem) => `  ${problem}\n`).join('')}` +
        'Give each such answer a test that meets it every time, or take it out of the document.\n',
    );
    // Counted as another failed test: Jest's exit code, its summary and ours are based on these numbers.
    results.numTotalTests += 1;
    results.numFailedTests += 1;
  }
}

module.exports = OpenApiCoverageReporter;
module.exports.problemsOf = problemsOf;
module.exports.isWholeRun = isWholeRun;
module.exports.judge = judge;
