import type { StoredEvent } from '@app/event-sourcing';
import type { PaymentCommand, PaymentEvent } from '@app/payments/domain';
import { play } from '@app/payments/testing/payments';
import { ManualClock } from '@app/platform/testing';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';

/** The id of a payment for specs. */
export function paymentIdOf(number: number): string {
  return `pay_${String(number).padStart(26, '0')}`;
}

/** A payment in a stream of its own, with event ids of its own. Its transaction ids may be another payment's. */
export function paymentOf(number: number, ...commands: readonly PaymentCommand[]): StoredEvent<PaymentEvent>[] {
  const paymentId = paymentIdOf(number);
  const told = commands.map((command) =>
    command.type === 'CreatePayment' ? { ...command, payment: { ...command.payment, paymentId } } : command,
  );
  const streamId = `payment-${paymentId.slice('pay_'.length)}`;
  const prefix = String(number).padStart(8, '0');
  return play(told).stored.map((event) => ({ ...event, streamId, id: prefix + event.id.slice(8) }));
}

/** A log in memory that specs write to as they like. */
export function auditedLog() {
  const eventStore = new MemoryEventStore();
  const clock = new ManualClock();
  const append = async (events: readonly StoredEvent<PaymentEvent>[], change: (metadata: object) => object = same) => {
    for (const { streamId, revision, id, type, data, metadata } of events) {
      const texts = { id, type, data: JSON.stringify(data), metadata: JSON.stringify(change(metadata)) };
      await eventStore.append(streamId, revision === 0 ? 'no-stream' : revision - 1, [texts]);
    }
  };
  return { eventStore, clock, append };
}

function same(metadata: object): object {
  return metadata;
}
