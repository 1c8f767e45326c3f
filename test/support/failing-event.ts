import { randomUUID } from 'node:crypto';
import { paymentStreamId } from '@app/payments/domain';
import { NO_PREVIOUS_HASH, uuidToBase32 } from '@app/event-sourcing';
import { SystemClock } from '@app/platform/lifecycle/system-environment';
import { EmbeddedEventStore } from '@app/stores/sqlite';
import { keyRingOf } from './key-ring-of';

/** An event that only the projection of balances cannot apply, because its amounts do not balance. */
export interface FailingEvent {
  readonly id: string;
  readonly streamId: string;
  readonly position: string;
}

/**
 * Appends one, with a valid proof, to the log in `logDir`, which nobody has open.
 *
 * @param dataDir of the service whose log it is: it holds the master key.
 */
export async function appendFailingEvent(
  { logDir, dataDir }: { readonly logDir: string; readonly dataDir: string },
  merchantId: string,
): Promise<FailingEvent> {
  const clock = new SystemClock();
  const id = randomUUID();
  const paymentId = `pay_${uuidToBase32(randomUUID())}`;
  const streamId = paymentStreamId(paymentId);
  const data = JSON.stringify({
    merchantId,
    notifyUrl: null,
    paymentId,
    transactionId: `txn_${uuidToBase32(randomUUID())}`,
    amountMinor: '100',
    currency: 'EUR',
    feeMinor: '101',
    processorResponse: { code: '00', message: 'Approved' },
  });
  const type = 'PaymentCaptured';
  const unproven = {
    schemaVersion: 1,
    recordedAt: new Date().toISOString(),
    correlationId: 'by-hand',
    causationId: null,
    actor: 'worker:by-hand',
    previousHash: NO_PREVIOUS_HASH,
  };
  const store = EmbeddedEventStore.open({ directory: logDir, clock });
  try {
    const keyRing = await keyRingOf(dataDir, store);
    const proof = keyRing.prove({ streamId, revision: 0, id, type, data, metadata: unproven });
    const metadata = JSON.stringify({ ...unproven, ...proof });
    const { position } = await store.append(streamId, 'no-stream', [{ id, type, data, metadata }]);
    return { id, streamId, position: String(position) };
  } finally {
    await store.close();
  }
}
