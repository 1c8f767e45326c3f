import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KeyIntroduction, type Seal, SEALS_STREAM_ID } from '@app/audit/domain';
import { InclusionPaths } from '@app/audit/inclusion-paths';
import { leafOf, treeLeaf } from '@app/audit/leaf';
import { isSealedStream } from '@app/audit/own-streams';
import { refusedDigest, streamEndsDigest } from '@app/audit/signatures';
import { sealIn } from '@app/audit/verify/read-seals';
import { DELETION, type EventStore, type RecordedEvent } from '@app/event-sourcing';
import { isPaymentId, paymentStreamId } from '@app/payments/domain';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import { pathOf } from '../settings';
import type { AuditContext } from './index';
import { introductionsIn } from './key';
import { logPages } from './log-pages';
import { LOG_HELP, LOG_OPTION, openLog } from './open-log';

export const PROVE_USAGE = `  counterfoil audit prove <paymentId> [--log <log>] [--out <file>]
      Writes a proof that each event of the payment is in the sealed tree, with the last seal. ${LOG_HELP}`;

export const CHECK_PROOF_USAGE = `  counterfoil audit check-proof <file> --public-key <file>
      Checks a proof without a log: with the public key alone. The same as: node check-proof.mjs <file> <key.pem>, one
      file that you can read. Ends with 0 if the proof holds, 20 if not.`;

const CHECKER = join(__dirname, '../../../libs/audit/check-proof.mjs');
const LOOK_BACK_EVENTS = 10;

/** @throws CliError */
export async function proveCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const options = { ...LOG_OPTION, out: { type: 'string' } } as const;
  const { values, positionals } = readArguments(args, options, ['paymentId'], `Usage:\n${PROVE_USAGE}`);
  const paymentId = positionals[0] ?? '';
  if (!isPaymentId(paymentId)) throw new CliError(`${paymentId} is not a payment's id.`, EXIT.usage);
  const store = openLog(values.log, context);
  try {
    const seal = await lastSeal(store);
    if (seal === null) throw new CliError('The log has no seal yet.');
    const { events, later } = await pathsOf(store, paymentStreamId(paymentId), seal);
    const proof = `${JSON.stringify(proofOf(seal, await introductionsIn(store), events), null, 2)}\n`;
    if (values.out === undefined) context.output.line(proof.trimEnd());
    else writeFileSync(pathOf(values.out, context.environment), proof);
    if (later > 0) process.stderr.write(`${later} later events of the payment are not sealed yet.\n`);
  } finally {
    await store.close();
  }
}

/** @throws CliError */
export async function checkProofCommand(args: readonly string[], { environment }: AuditContext): Promise<void> {
  const options = { 'public-key': { type: 'string' } } as const;
  const usage = `Usage:\n${CHECK_PROOF_USAGE}`;
  const { values, positionals } = readArguments(args, options, ['file'], usage);
  if (values['public-key'] === undefined) throw new CliError(`--public-key is missing.\n\n${usage}`, EXIT.usage);
  const files = [positionals[0] ?? '', values['public-key']].map((file) => pathOf(file, environment));
  const { status } = spawnSync(process.execPath, [CHECKER, ...files], { stdio: 'inherit' });
  process.exitCode = status ?? EXIT.failed;
}

async function lastSeal(store: EventStore): Promise<Seal | null> {
  const options = { direction: 'backwards', maxCount: LOOK_BACK_EVENTS } as const;
  const events = await store.readStream(SEALS_STREAM_ID, options);
  const last = events.find(({ type }) => type === 'HistorySealed');
  return last === undefined ? null : sealIn(last.data);
}

/** Each sealed event of the stream with its path. @throws CliError if the log is not the sealed one. */
async function pathsOf(store: EventStore, streamId: string, seal: Seal) {
  const paths = new InclusionPaths<RecordedEvent>();
  let later = 0;
  for await (const { events } of logPages(store, null)) {
    for (const event of events) {
      if (event.type === DELETION || !isSealedStream(event.streamId)) continue;
      const leaf = leafOf(event);
      const isWanted = event.streamId === streamId && leaf.metadata !== null;
      if (paths.size < seal.size) paths.add(treeLeaf(leaf), isWanted ? event : null);
      else if (isWanted) later += 1;
    }
  }
  const { root, leaves } = paths.finish();
  if (root?.toString('hex') !== seal.root) {
    throw new CliError('The log is not the one that its last seal covers: see "counterfoil audit verify".');
  }
  if (leaves.length === 0 && later === 0) throw new CliError(`The log has no event of ${streamId}.`);
  if (leaves.length === 0) throw new CliError(`No event of ${streamId} is sealed yet. Try again in a minute.`);
  return { events: leaves, later };
}

function proofOf(
  seal: Seal,
  introductions: readonly KeyIntroduction[],
  leaves: Awaited<ReturnType<typeof pathsOf>>['events'],
) {
  const { streamEnds, refused, peaks: _peaks, ...signed } = seal;
  return {
    format: 'counterfoil-inclusion-proof-1',
    seal: { ...signed, streamEndsDigest: streamEndsDigest(streamEnds), refusedDigest: refusedDigest(refused) },
    introductions,
    events: leaves.map(({ what: { position: _position, ...event }, index, path }) => ({
      ...event,
      leafIndex: index,
      path: path.map((sibling) => sibling.toString('hex')),
    })),
  };
}
