import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '@app/event-sourcing';
import { SandboxBooks } from '@app/gateway/sandbox/sandbox-books';
import { type Currency, formatAmount } from '@app/money';
import { readArguments } from '../arguments';
import { CliError } from '../cli-error';
import { dataDirOf, pathOf } from '../settings';
import type { AuditContext } from './index';
import { interruptibly } from './interruption';
import { writeToFile, writeToStdout } from './text-destination';

export const SANDBOX_REPORT_USAGE = `  counterfoil audit sandbox-report [--out <file>]
      Writes the settlement report of the sandbox gateway whose books are in DATA_DIR (CSV): what it has captured and refunded, as a
      processor would report it.`;

const LINES_AT_ONCE = 1_000;

/** @throws CliError */
export async function sandboxReportCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const { values } = readArguments(args, { out: { type: 'string' } }, [], `Usage:\n${SANDBOX_REPORT_USAGE}`);
  const file = join(dataDirOf(context.environment), 'gateway.sqlite');
  if (!existsSync(file)) throw new CliError(`There are no books of a sandbox gateway: ${file}.`);
  const books = new SandboxBooks(file);
  try {
    await interruptibly(async (signal) => {
      const text = reportOf(books, context.clock.nowMs(), signal);
      if (values.out === undefined) await writeToStdout(text);
      else await writeToFile(pathOf(values.out, context.environment), text, signal);
    });
  } finally {
    books.close();
  }
}

async function* reportOf(books: SandboxBooks, untilMs: number, signal: AbortSignal): AsyncGenerator<string> {
  let lines = ['reference,type,currency,amount,settledAt'];
  for (const { reference, kind, currency, amountMinor, settledAtMs } of books.settlements(untilMs)) {
    if (signal.aborted) return;
    const amount = formatAmount(amountMinor, currency as Currency);
    lines.push([reference, kind, currency, amount, isoTime(settledAtMs)].join(','));
    if (lines.length < LINES_AT_ONCE) continue;
    yield lines.map((line) => `${line}\r\n`).join('');
    lines = [];
  }
  yield lines.map((line) => `${line}\r\n`).join('');
}
