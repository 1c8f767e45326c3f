import { type CommandHandling, DamagedHistoryError, isoTime } from '@app/event-sourcing';
import type { GatewayDispute } from '@app/gateway/port';
import { disputeIdOf } from '@app/payments/commands/ids';
import { isPaymentId, type PaymentCommand, paymentDecider, paymentStreamId } from '@app/payments/domain';
import type { DamagedStreams, Logger } from '@app/platform/telemetry';
import { record } from './record';

export interface RecordDisputesDependencies {
  readonly handling: CommandHandling;
  readonly damaged: Pick<DamagedStreams, 'report'>;
  readonly logger: Logger;
}

/**
 * Records what the gateway says of a dispute. The same word twice, or a late one, changes nothing: the dispute's id is
 * derived from the gateway's name for it, and its first outcome stands.
 *
 * @returns `unsettled` if the payment cannot take it yet: its capture is not recorded, or its stream is damaged.
 * @throws ContentionError, EventStoreUnavailableError
 */
export async function recordDispute(
  deps: RecordDisputesDependencies,
  dispute: GatewayDispute,
): Promise<'settled' | 'unsettled'> {
  try {
    return await recordIn(deps, dispute);
  } catch (error) {
    if (!(error instanceof DamagedHistoryError)) throw error;
    deps.damaged.report(error);
    return 'unsettled';
  }
}

async function recordIn(deps: RecordDisputesDependencies, dispute: GatewayDispute): Promise<'settled' | 'unsettled'> {
  const { paymentId, gatewayReference, amount } = dispute;
  const loaded = isPaymentId(paymentId)
    ? await deps.handling.loadExisting(paymentDecider, paymentStreamId(paymentId))
    : null;
  const payment = loaded?.state ?? null;
  const isOurs = payment?.created.gatewayReference === gatewayReference && payment.created.currency === amount.currency;
  if (loaded === null || payment === null || !isOurs) return leftOut(deps, dispute, 'it is about no payment of ours');
  if (payment.phase === 'FAILED' || payment.phase === 'CANCELLED' || payment.phase === 'EXPIRED') {
    return leftOut(deps, dispute, `the payment is ${payment.status}: nothing was captured`);
  }
  if (payment.phase !== 'COMPLETED') return 'unsettled';
  let known = loaded;
  for (const command of commandsFor(dispute)) {
    ({ loaded: known } = await record(deps.handling, paymentId, command, payment.origin, known));
  }
  return 'settled';
}

/** An outcome may be the first that is heard of a dispute: then its opening is recorded before. */
function commandsFor(dispute: GatewayDispute): readonly PaymentCommand[] {
  const { paymentId, disputeReference, status, amount, feeMinor, reason, evidenceDueAtMs } = dispute;
  const disputeId = disputeIdOf(paymentId, disputeReference);
  const evidenceDueAt = evidenceDueAtMs === null ? null : isoTime(evidenceDueAtMs);
  const facts = { disputeId, disputeReference, ...amount, feeMinor, reason, evidenceDueAt };
  const opening: PaymentCommand = { type: 'RecordDispute', ...facts };
  return status === 'OPEN' ? [opening] : [opening, { type: 'RecordDisputeOutcome', disputeId, outcome: status }];
}

/** Nothing can be recorded, now or later. */
function leftOut(
  { logger }: RecordDisputesDependencies,
  { paymentId, disputeReference, status }: GatewayDispute,
  reason: string,
): 'settled' {
  logger.error('a dispute that the gateway reports is left out', { paymentId, disputeReference, status, reason });
  return 'settled';
}
