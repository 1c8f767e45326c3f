import { sealKeyId } from '@app/audit/signatures';
import type { AuditVerdict, Finding, FindingKind } from '@app/audit/verify/findings';
import { HEAD_FORMAT, type TrustedHead } from '@app/audit/verify/trusted-head';
import type { Verification, VerificationOptions } from '@app/audit/verify/verification';
import { grouped } from '../table';

export interface VerificationReport {
  readonly verdict: AuditVerdict;
  /** The first one decides the verdict. */
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Partial<Record<FindingKind, number>>>;
  readonly events: number;
  readonly streams: number;
  /** Events in streams of others. */
  readonly others: number;
  readonly seals: number;
  readonly lastSeal: { readonly size: number; readonly sealedAt: string; readonly keyId: string } | null;
  readonly unsealed: number;
  /** What this verification cannot exclude. */
  readonly notExcluded: readonly string[];
  /** What is no fault, and worth knowing. */
  readonly notes: readonly string[];
}

const SHOWN_FINDINGS = 20;

export function reportOf(verification: Verification, options: VerificationOptions): VerificationReport {
  const { kept, counts } = verification.findings.state;
  const { events, streams, others, unsealed } = verification.progress;
  const { seals, size, sealedAt, publicKey, clockSteps } = verification.seals.state;
  const lastSeal = sealedAt === null ? null : { size, sealedAt, keyId: sealKeyId(publicKey ?? '') };
  const notes = clockSteps === 0 ? [] : [`the clock of the service was set back: ${clockSteps} seals show it`];
  return {
    verdict: verification.findings.verdict,
    findings: kept,
    counts,
    ...{ events, streams, others, seals, lastSeal, unsealed },
    notExcluded: notExcluded(verification, options),
    notes,
  };
}

function notExcluded(verification: Verification, options: VerificationOptions): readonly string[] {
  const { publicKey, trustedHead, macProblem } = options;
  const { unsealed } = verification.progress;
  const { sealedAt } = verification.seals.state;
  const after = sealedAt === null ? 'no seal' : `the seal of ${sealedAt}`;
  return [
    unsealed > 0
      ? `changes to the ${grouped(unsealed)} events after ${after}: their chains hold, and nothing more`
      : '',
    `that events after ${after} were cut off`,
    publicKey === null && trustedHead === null
      ? 'a log rewritten by somebody with keys of their own: no --public-key and no --trusted-head was given'
      : '',
    trustedHead === null ? 'a history rewritten with the right keys: no --trusted-head was given' : '',
    macProblem === undefined
      ? 'an event that somebody else appended in the right form: only the service can check MACs; it names in its seals ' +
        'what it refused'
      : '',
  ].filter((text) => text !== '');
}

/** Null if there is no seal. */
export function trustedHeadOf(verification: Verification): TrustedHead | null {
  const { root, size } = verification.progress;
  const { sealedAt, publicKey } = verification.seals.state;
  return sealedAt === null || publicKey === null ? null : { format: HEAD_FORMAT, size, root, sealedAt, publicKey };
}

export function reportText(report: VerificationReport): string {
  const { verdict, findings, events, streams, others, seals, lastSeal, unsealed } = report;
  const total = Object.values(report.counts).reduce((sum, count) => sum + count, 0);
  const shown = findings.slice(0, SHOWN_FINDINGS).map(describeFinding);
  return [
    verdict === 'INTACT' ? 'INTACT: nothing in this log contradicts its hashes and seals.' : shown[0],
    ...(total > 1 ? [`${grouped(total - 1)} more ${total === 2 ? 'finding' : 'findings'}:`] : []),
    ...shown.slice(1).map((text) => `  ${text}`),
    ...(total > SHOWN_FINDINGS ? [`  … and ${grouped(total - SHOWN_FINDINGS)} more; --json lists a hundred`] : []),
    `${grouped(events)} events read, in ${grouped(streams)} streams of the service; ${grouped(others)} are of others.`,
    lastSeal === null
      ? 'There is no seal.'
      : `${grouped(seals)} seals cover ${grouped(lastSeal.size)} events, up to ${lastSeal.sealedAt}; ` +
        `${grouped(unsealed)} came later. Key ${lastSeal.keyId}.`,
    ...report.notes.map((note) => `Note: ${note}.`),
    'Not excluded:',
    ...report.notExcluded.map((text) => `  - ${text}`),
  ].join('\n');
}

function describeFinding({ kind, streamId, revision, position, reason }: Finding): string {
  const place = streamId === null ? 'the log' : `${streamId} at revision ${revision ?? 0}`;
  return `${kind.replace('_', ' ')}: ${place}${position === null ? '' : ` (position ${position})`}: ${reason}.`;
}
