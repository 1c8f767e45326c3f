import { closeSync, createReadStream, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { StreamTable } from '@app/audit/verify/stream-table';
import type { Verification } from '@app/audit/verify/verification';
import type { VerificationState } from '@app/audit/verify/verification-state';
import { CliError } from '../cli-error';

const FORMAT = 'counterfoil-verification-1';
const ROWS_AT_ONCE = 5_000;

/** What an interrupted verification was asked to do; one that goes on has to do the same. */
export interface Asked {
  readonly log: string;
  readonly publicKey: string | null;
  readonly headRoot: string | null;
}

type Row = readonly [streamId: string, revision: number, leaf: number, hash: string];

/** Whole, or not there: the first line is the state, each further one a stream. */
export function saveVerification(file: string, asked: Asked, verification: Verification): void {
  const draft = `${file}.draft`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify({ format: FORMAT, asked, state: verification.state })}\n`);
    let rows: string[] = [];
    const flush = () => {
      writeSync(descriptor, rows.join(''));
      rows = [];
    };
    for (const [streamId, { revision, leaf, hash }] of verification.streams.entries()) {
      rows.push(`${JSON.stringify([streamId, revision, leaf, hash] satisfies Row)}\n`);
      if (rows.length === ROWS_AT_ONCE) flush();
    }
    flush();
    writeSync(descriptor, '"end"\n');
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** Null if there is no such file. @throws CliError */
export async function savedVerification(
  file: string,
  asked: Asked,
): Promise<{ readonly state: VerificationState; readonly streams: StreamTable } | null> {
  if (!existsSync(file)) return null;
  const wrong = new CliError(`${file} is not an interrupted verification of this log with these options.`);
  const streams = new StreamTable();
  let state: VerificationState | null = null;
  let isWhole = false;
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
      const value = JSON.parse(line) as unknown;
      if (state === null) {
        const head = value as { format: string; asked: Asked; state: VerificationState };
        if (head.format !== FORMAT || JSON.stringify(head.asked) !== JSON.stringify(asked)) throw wrong;
        ({ state } = head);
      } else if (value === 'end') isWhole = true;
      else {
        const [streamId, revision, leaf, hash] = value as Row;
        streams.set(streamId, { revision, leaf, hash });
      }
    }
  } catch {
    throw wrong;
  }
  if (state === null || !isWhole) throw wrong;
  return { state, streams };
}
