import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface Exception {
  readonly answer: RegExp;
}

interface Run {
  readonly testResults: readonly { readonly testFilePath: string }[];
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

// A reporter of Jest's own process, which loads no TypeScript.
const { problemsOf, isWholeRun, judge } = jest.requireActual<{
  problemsOf(documented: readonly string[], met: ReadonlySet<string>, exceptions?: readonly Exception[]): string[];
  isWholeRun(run: Run): boolean;
  judge(lines: readonly string[], run: Run): { summary: string; problems: string[]; fails: boolean };
}>('../../scripts/openapi-coverage.cjs');

describe('the end of a run', () => {
  const exceptions = [{ answer: /^\w+ 500 DEFECT$/ }];
  const problems = (documented: readonly string[], ...met: readonly string[]) =>
    problemsOf(documented, new Set(met), exceptions).map((problem) => problem.replace(/ in scripts\S+,/, ''));

  it.each<readonly [readonly string[], readonly string[], readonly string[]]>([
    [['read 200', 'read 500 DEFECT'], ['read 200'], []],
    [
      ['read 200', 'read 404 GONE', 'read 500 DEFECT'],
      ['read 200'],
      ['read 404 GONE is documented, and no test was answered so'],
    ],
    [['read 200', 'read 500 DEFECT'], ['read 200', 'read 500 DEFECT'], ['read 500 DEFECT is an exception and was met']],
    [['read 200'], ['read 200'], ['/^\\w+ 500 DEFECT$/ is an exception and is not documented']],
  ])('of %j where %j were met', (documented, met, expected) => {
    expect(problems(documented, ...met)).toEqual(expected);
  });

  const folders = ['end-to-end', 'scenarios'].map((name) => resolve(__dirname, '..', name));
  const files = folders.flatMap((folder) =>
    readdirSync(folder).flatMap((name) => (name.endsWith('.spec.ts') ? [join(folder, name)] : [])),
  );
  const run = (paths: readonly string[], counts: Partial<Run> = {}): Run => ({
    testResults: paths.map((testFilePath) => ({ testFilePath })),
    ...{ numFailedTests: 0, numPendingTests: 0, numRuntimeErrorTestSuites: 0 },
    ...counts,
  });

  it('counts when all end-to-end tests ran, and nothing else is wrong', () => {
    expect(isWholeRun(run(files))).toBe(true);
    expect(isWholeRun(run(files.slice(1)))).toBe(false);
    for (const count of ['numFailedTests', 'numPendingTests', 'numRuntimeErrorTestSuites'] as const) {
      expect(isWholeRun(run(files, { [count]: 1 }))).toBe(false);
    }
  });

  it('fails a whole run, and no other, for what was not met', () => {
    const defect = 'documented read 500 INTERNAL_ERROR';
    const noted = ['documented read 200', 'documented read 503 BUSY', defect, 'seen read 200'];
    const problem = 'read 503 BUSY is documented, and no test was answered so';
    const summary = 'OpenAPI: 1 of 3 documented answers were met';
    expect(judge(noted, run(files))).toEqual({ summary, problems: [problem], fails: true });
    expect(judge(noted, run(files.slice(1)))).toEqual({ summary, problems: [problem], fails: false });
    // Noted once more by each process that runs tests.
    const all = [...noted, ...noted, 'seen read 503 BUSY'];
    expect(judge(all, run(files))).toMatchObject({ problems: [], fails: false });
  });

  it('fails a whole run in which nothing was noted', () => {
    expect(judge([''], run(files)).fails).toBe(true);
  });
});
