'use strict';

const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');

const report = join(__dirname, '../node_modules/.cache/counterfoil/openapi-never-met.txt');

/**
 * Says after a run which documented answers no test has met. Answers that are not documented fail their test at once; these
 * do not, as a run may be of a few files only.
 */
module.exports = class OpenApiCoverageReporter {
  onRunStart() {
    // The processes that run the tests are started later, and inherit it.
    process.env.OPENAPI_SEEN_DIRECTORY = mkdtempSync(join(tmpdir(), 'openapi-seen-'));
  }

  onRunComplete() {
    const directory = process.env.OPENAPI_SEEN_DIRECTORY;
    const lines = new Set(
      readdirSync(directory).flatMap((name) => readFileSync(join(directory, name), 'utf8').trimEnd().split('\n')),
    );
    rmSync(directory, { recursive: true });
    const documented = [...lines].filter((line) => line.startsWith('documented ')).map((line) => line.slice(11));
    if (documented.length === 0) return;
    const never = documented.filter((pair) => !lines.has(`seen ${pair}`));
    const codes = (pairs) => new Set(pairs.map((pair) => pair.split(' ')[2]).filter((code) => code !== undefined));
    const seenCodes = codes(documented.filter((pair) => lines.has(`seen ${pair}`)));
    const successes = never.filter((pair) => pair.split(' ').length === 2);
    const errors = [...codes(never)].filter((code) => !seenCodes.has(code)).sort();
    const text = [
      `Successes that were never met:\n${successes.join('\n')}`,
      `Errors that were met at no operation:\n${errors.join('\n')}`,
      `All answers that were never met:\n${never.join('\n')}`,
    ];
    mkdirSync(dirname(report), { recursive: true });
    writeFileSync(report, `${text.join('\n\n')}\n`);
    process.stdout.write(
      `OpenAPI: ${documented.length - never.length} of ${documented.length} documented answers were met; ` +
        `the others stand in node_modules/.cache/counterfoil/openapi-never-met.txt\n`,
    );
  }
};
