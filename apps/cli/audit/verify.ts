import { rmSync, writeFileSync } from 'node:fs';
import { NewerEventError, Verification } from '@app/audit/verify/verification';
import { type EventStore, EventStoreUnavailableError } from '@app/event-sourcing';
import { readArguments } from '../arguments';
import { CliError, EXIT } from '../cli-error';
import { pathOf } from '../settings';
import { grouped } from '../table';
import { readHead, readPublicKey } from './audit-files';
import { INTERRUPTED_EXIT, VERDICT_EXIT } from './exit-codes';
import type { AuditContext } from './index';
import { isFolder, logPages } from './log-pages';
import { macCheck } from './mac-check';
import { LOG_HELP, LOG_OPTION, openLog, UnreadableLogError } from './open-log';
import { type Asked, savedVerification, saveVerification } from './verification-file';
import { reportOf, reportText, trustedHeadOf } from './verify-report';

export const VERIFY_USAGE = `  counterfoil audit verify [--log <log>] [--public-key <file>] [--trusted-head <file>] [--save-head <file>]
                           [--resume <file>] [--json]
      Reads the whole log once and tells what was changed, removed, reordered or forged in it. --public-key is the key
      from "audit key", as PEM. --save-head keeps what was verified, and --trusted-head compares with it the next time:
      only that finds a history that was rewritten with the right keys. Ctrl-C saves the state in the file that --resume
      names (counterfoil-verify.state by default); --resume goes on from there. A running service is not disturbed.
      Exit codes: 0 intact, 10 changed, 11 missing, 12 reordered, 13 cut, 14 forged, 15 seal forged, 16 rewritten,
      17 unreadable, 18 written by a newer release, 19 not sealed, 130 interrupted.
      ${LOG_HELP}`;

const OPTIONS = {
  ...LOG_OPTION,
  'public-key': { type: 'string' },
  'trusted-head': { type: 'string' },
  'save-head': { type: 'string' },
  resume: { type: 'string' },
  json: { type: 'boolean' },
} as const;
const STATE_FILE = 'counterfoil-verify.state';
const SHOWN_EVERY_MS = 250;

/** @throws CliError */
export async function verifyCommand(args: readonly string[], context: AuditContext): Promise<void> {
  const { values } = readArguments(args, OPTIONS, [], `Usage:\n${VERIFY_USAGE}`);
  const { environment, output } = context;
  const publicKey = values['public-key'] === undefined ? null : readPublicKey(values['public-key'], environment);
  const trustedHead = values['trusted-head'] === undefined ? null : readHead(values['trusted-head'], environment);
  const store = opened(values.log, context);
  const asked = { log: values.log ?? '', publicKey, headRoot: trustedHead?.root ?? null };
  const stateFile = pathOf(values.resume ?? STATE_FILE, environment);
  try {
    const saved = values.resume === undefined ? null : await savedVerification(stateFile, asked);
    const macs = await macCheck(store, values.log, context);
    const options = { publicKey, trustedHead, isGapless: isFolder(store), ...macs };
    const verification = new Verification(options, saved?.state, saved?.streams);
    const end = await pass({ verification, store, context, asked, stateFile });
    if (end === 'interrupted') {
      output.line(`Interrupted. Go on with --resume ${stateFile}`);
      process.exitCode = INTERRUPTED_EXIT;
      return;
    }
    const report = reportOf(verification, options);
    const head = values['save-head'] !== undefined && report.verdict === 'INTACT' ? trustedHeadOf(verification) : null;
    if (head !== null) writeFileSync(pathOf(values['save-head'] ?? '', environment), `${JSON.stringify(head)}\n`);
    if (values.resume !== undefined) rmSync(stateFile, { force: true });
    output.line(values.json === true ? JSON.stringify(report, null, 2) : reportText(report));
    process.exitCode = VERDICT_EXIT[report.verdict];
  } finally {
    await store.close();
  }
}

/** A log that is there and cannot be opened is a verdict too. @throws CliError */
function opened(location: string | undefined, context: AuditContext): EventStore {
  try {
    return openLog(location, context);
  } catch (error) {
    if (!(error instanceof UnreadableLogError)) throw error;
    throw new CliError(`UNREADABLE: ${error.message}`, VERDICT_EXIT.UNREADABLE);
  }
}

interface Pass {
  readonly verification: Verification;
  readonly store: EventStore;
  readonly context: AuditContext;
  readonly asked: Asked;
  readonly stateFile: string;
}

/** Reads to the end, or to Ctrl-C. Of a folder that cannot be read further, that is a finding. @throws CliError */
async function pass({ verification, store, context, asked, stateFile }: Pass): Promise<'ended' | 'interrupted'> {
  let isInterrupted = false;
  const interrupt = () => (isInterrupted = true);
  process.once('SIGINT', interrupt);
  try {
    const show = progressShower(context, verification);
    for await (const page of logPages(store, verification.progress.position)) {
      for (const event of page.events) verification.take(event);
      show();
      if (!isInterrupted || page.caughtUp) continue;
      saveVerification(stateFile, asked, verification);
      return 'interrupted';
    }
    verification.finish();
  } catch (error) {
    if (error instanceof NewerEventError) return 'ended';
    if (!(error instanceof EventStoreUnavailableError)) throw error;
    if (!isFolder(store)) {
      saveVerification(stateFile, asked, verification);
      throw new CliError(`${error.message}\nGo on with --resume ${stateFile}`, EXIT.unreachable);
    }
    unreadable(verification, error);
  } finally {
    process.off('SIGINT', interrupt);
  }
  return 'ended';
}

function unreadable(verification: Verification, { message }: Error): void {
  const { position } = verification.progress;
  const after = position === null ? 'from its start' : `after position ${position}`;
  const reason = `it can't be read ${after}: ${message}`;
  verification.findings.add({ kind: 'UNREADABLE', streamId: null, revision: null, position: null, reason });
}

function progressShower({ output, clock }: AuditContext, verification: Verification): () => void {
  let shownAtMs = -Infinity;
  return () => {
    const nowMs = clock.monotonicMs();
    if (!output.isTerminal || nowMs - shownAtMs < SHOWN_EVERY_MS) return;
    shownAtMs = nowMs;
    const { events, position } = verification.progress;
    const { total } = verification.findings;
    output.transient(`${grouped(events)} events, up to position ${position ?? 0}, ${total} findings`);
  };
}
