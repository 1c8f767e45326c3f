import { currencyExponent } from '@app/money';

import type { GatewayAmount, GatewayDispute } from '../port';
import type { RegistrationEntry, TransactionEntry } from './entries';
import { scenarioNamed } from './scenarios';

/** A capture with the disputed card is disputed this long after it. */
export const DISPUTE_OPENS_AFTER_MS = 1_000;
/** A dispute whose end its amount determines is decided this long after it was opened. */
export const DISPUTE_DECIDED_AFTER_MS = 3_000;
/** Any other dispute is lost when nobody has sent evidence by then; the sandbox takes none. */
export const EVIDENCE_TIME_MS = 7 * 24 * 60 * 60 * 1000;
/** In the major unit of the currency. */
const FEE = 15n;

/** A change of a dispute that will take place. */
export interface PlannedChange extends Omit<GatewayDispute, 'gatewayReference' | 'paymentId' | 'evidenceDueAtMs'> {
  readonly evidenceDueAtMs: number;
  readonly dueAtMs: number;
}

interface Story {
  readonly end: 'WON' | 'LOST' | 'OPEN';
  /** Half of the amount is disputed. */
  readonly half?: true;
  /** How the next dispute of the same payment ends, which is opened after the first has ended. */
  readonly next?: 'LOST';
}

/** The last digit of the captured amount, in minor units, tells how the dispute goes on. */
const STORIES: Readonly<Record<string, Story>> = {
  1: { end: 'WON' },
  2: { end: 'LOST' },
  3: { end: 'OPEN', half: true },
  4: { end: 'WON', next: 'LOST' },
};
const STAYS_OPEN: Story = { end: 'OPEN' };

/** All that will happen to the disputes of a transaction, in order. */
export function disputesOfTransaction(
  { gatewayReference, scenario }: RegistrationEntry,
  { kind, verdict, amount, recordedAtMs }: TransactionEntry,
): readonly PlannedChange[] {
  const isCaptured = kind === 'CAPTURE' && verdict.kind === 'approved';
  if (!isCaptured || scenarioNamed(scenario).disputed !== true) return [];
  return disputesToCome(gatewayReference, amount, recordedAtMs);
}

function disputesToCome(
  gatewayReference: string,
  { amountMinor, currency }: GatewayAmount,
  capturedAtMs: number,
): readonly PlannedChange[] {
  const { end, half, next } = STORIES[String(amountMinor % 10n)] ?? STAYS_OPEN;
  const amount = { amountMinor: half === true ? (amountMinor + 1n) / 2n : amountMinor, currency };
  const feeMinor = FEE * 10n ** BigInt(currencyExponent(currency));
  const dispute = (nth: number, openedAtMs: number, ends: Story['end']): readonly PlannedChange[] => {
    const evidenceDueAtMs = openedAtMs + EVIDENCE_TIME_MS;
    const disputeReference = `${gatewayReference.replace(/^gw_/, 'dp_')}_${nth}`;
    const reason = 'PRODUCT_NOT_RECEIVED' as const;
    const opened = { disputeReference, amount, feeMinor, reason, evidenceDueAtMs };
    const decidedAtMs = ends === 'OPEN' ? evidenceDueAtMs : openedAtMs + DISPUTE_DECIDED_AFTER_MS;
    return [
      { ...opened, status: 'OPEN', dueAtMs: openedAtMs },
      { ...opened, status: ends === 'WON' ? 'WON' : 'LOST', dueAtMs: decidedAtMs },
    ];
  };
  const openedAtMs = capturedAtMs + DISPUTE_OPENS_AFTER_MS;
  const openedAgainAtMs = openedAtMs + 2 * DISPUTE_DECIDED_AFTER_MS;
  return [...dispute(1, openedAtMs, end), ...(next === undefined ? [] : dispute(2, openedAgainAtMs, next))];
}
