import type { AuditVerdict } from '@app/audit/verify/findings';
import { NewerEventError, Verification } from '@app/audit/verify/verification';
import { FollowedEventStore } from '@app/stores/sqlite';
import type { AuditContext } from './audit';
import { VERDICT_EXIT } from './audit/exit-codes';
import { logPages } from './audit/log-pages';
import { macCheck } from './audit/mac-check';
import { reportOf, reportText } from './audit/verify-report';
import { grouped } from './table';

export interface CopyVerdict {
  /** Of the command. */
  readonly exitCode: number;
  readonly text: string;
}

/** Without seals there is less to compare with, and nothing that contradicts the log. */
const SOUND: readonly AuditVerdict[] = ['INTACT', 'UNSEALED'];

/**
 * Verifies the log in the folder as `audit verify` does: hashes, chains, seals and, with the master key of `dataDir`,
 * MACs. A copy of a log that is not intact is kept: it may be all that is left, and it is evidence.
 */
export async function verifyCopy(folder: string, dataDir: string, context: AuditContext): Promise<CopyVerdict> {
  const { clock, output } = context;
  const store = FollowedEventStore.openCopy(folder, clock);
  try {
    const options = {
      publicKey: null,
      trustedHead: null,
      isGapless: true,
      ...(await macCheck(store, dataDir, context)),
    };
    const verification = new Verification(options);
    await verifyAll(store, verification, () => {
      if (output.isTerminal) output.transient(`verified ${grouped(verification.progress.events)} events`);
    });
    const report = reportOf(verification, options);
    const { events } = verification.progress;
    if (SOUND.includes(report.verdict)) return { exitCode: 0, text: `Its ${grouped(events)} events are intact.` };
    const exitCode = VERDICT_EXIT[report.verdict];
    return { exitCode, text: `Warning: the log that was copied is not intact.\n${reportText(report)}` };
  } finally {
    await store.close();
  }
}

/** An event of a newer release ends the verification, and is a finding. */
async function verifyAll(store: FollowedEventStore, verification: Verification, show: () => void): Promise<void> {
  try {
    for await (const page of logPages(store, null)) {
      for (const event of page.events) verification.take(event);
      show();
    }
    verification.finish();
  } catch (error) {
    if (!(error instanceof NewerEventError)) throw error;
  }
}
