import type { FindingsState } from './findings';
import type { SealChainState } from './seal-chain';

/** A verification at rest, all but its table of streams. */
export interface VerificationState {
  readonly events: number;
  readonly leaves: number;
  readonly others: number;
  readonly position: string | null;
  readonly gap: { readonly from: string; readonly to: string } | null;
  readonly headIsMet: boolean;
  readonly foundBefore: number;
  readonly findings: FindingsState;
  readonly seals: SealChainState;
  readonly tree: { readonly size: number; readonly peaks: readonly string[] };
  readonly unsealed: string;
}
