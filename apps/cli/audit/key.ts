import { SEALS_STREAM_ID } from '@app/audit/domain';
import { publicKeyFrom } from '@app/audit/signatures';
import { introductionIn } from '@app/audit/verify/read-seals';
import type { EventStore } from '@app/event-sourcing';
import { readArguments } from '../arguments';
import { CliError } from '../cli-error';
import type { AuditContext } from './index';
import { LOG_HELP, LOG_OPTION, openLog } from './open-log';

export const KEY_USAGE = `  counterfoil audit key [--log <log>]
      Prints the public key that seals are signed with now, as PEM. Give it to auditors by another way than the log.
      ${LOG_HELP}`;

const PAGE_EVENTS = 1_000;

/** @throws CliError */
export async function keyCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const { values } = readArguments(args, LOG_OPTION, [], `Usage:\n${KEY_USAGE}`);
  const store = openLog(values.log, context);
  try {
    const introductions = await introductionsIn(store);
    const key = publicKeyFrom(introductions.at(-1)?.publicKey ?? '');
    if (key === null) throw new CliError('The log has no seals yet, and so no key.');
    context.output.line(key.export({ format: 'pem', type: 'spki' }).toString().trimEnd());
  } finally {
    await store.close();
  }
}

/** Every introduction of a key, the oldest first. Not verified. */
export async function introductionsIn(store: EventStore) {
  const filter = { streamPrefixes: [SEALS_STREAM_ID], types: ['SealKeyIntroduced'] };
  const found = [];
  for (let after: bigint | null = null, isEnd = false; !isEnd;) {
    const page = await store.readAll({ after, filter, maxCount: PAGE_EVENTS });
    found.push(...page.events.filter(({ streamId }) => streamId === SEALS_STREAM_ID));
    [after, isEnd] = [page.position, page.caughtUp];
  }
  return found.map(({ data }) => introductionIn(data)).filter((introduction) => introduction !== null);
}
