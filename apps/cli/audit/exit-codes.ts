import type { AuditVerdict } from '@app/audit/verify/findings';

/** What `audit verify` ends with, besides the codes that all commands share. docs/audit.md lists them. */
export const VERDICT_EXIT: Readonly<Record<AuditVerdict, number>> = {
  INTACT: 0,
  CHANGED: 10,
  MISSING: 11,
  REORDERED: 12,
  CUT: 13,
  FORGED: 14,
  SEAL_FORGED: 15,
  REWRITTEN: 16,
  UNREADABLE: 17,
  NEWER: 18,
  UNSEALED: 19,
};

/** Ctrl-C. */
export const INTERRUPTED_EXIT = 130;
/** The proof does not hold. */
export const NO_PROOF_EXIT = 20;
