import { spawnSync } from 'node:child_process';

/** Runs an accounting tool to its end; a missing one is a failure that says what to install. */
function run(program: string, args: readonly string[]): string {
  const { stdout, stderr, status, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') {
    throw new Error(`${program} is not installed. These tests need it: apt-get install hledger beancount`);
  }
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout}`);
  return stdout;
}

/** The balances that hledger computes, by account, with its strict checks. */
export function hledgerBalances(journal: string, ...query: readonly string[]): ReadonlyMap<string, string> {
  const options = ['--strict', '--flat', '--no-total', '-O', 'csv'];
  const table = run('hledger', ['-f', journal, 'balance', ...options, ...query]);
  const rows = table.split('\n').slice(1, -1);
  return new Map(rows.map((row) => row.slice(1, -1).split('","') as [string, string]));
}

/** `bean-query` fails to show sums of more digits than it expects. */
const BEANCOUNT_BALANCES = `
import sys
from beancount import loader
from beancount.core import realization
entries, errors, _ = loader.load_file(sys.argv[1])
for error in errors: sys.exit(str(error))
for account in realization.iter_children(realization.realize(entries)):
    for position in account.balance:
        if position.units.number: print(account.account, format(position.units.number, 'f'), position.units.currency)
`;

/** The balances that Beancount computes, by account, if it finds no error. */
export function beancountBalances(ledger: string): ReadonlyMap<string, string> {
  run('bean-check', [ledger]);
  const lines = run('/usr/bin/python3', ['-c', BEANCOUNT_BALANCES, ledger]).trim().split('\n');
  return new Map(lines.map((line) => line.split(/ (.*)/).slice(0, 2) as [string, string]));
}
