import { accepted, type Decider, type DomainEvent, type EventSchemas, type StoredEvent } from '@app/event-sourcing';

/** The stream that holds how far the gateway's list of dispute changes was read. */
export const GATEWAY_DISPUTES_STREAM_ID = 'gateway-disputes';

/** A payment whose disputes could not be recorded yet: its capture is still open, or its stream is damaged. */
export interface UnsettledPayment {
  readonly paymentId: string;
  readonly gatewayReference: string;
}

/** Everything that it depends on is in the last event: the earlier ones need not be read. */
export interface DisputeReading {
  /** Null before the first change. */
  readonly cursor: string | null;
  /** Their disputes are asked for again, since the cursor has passed them. */
  readonly unsettled: readonly UnsettledPayment[];
}

/** Every change up to the cursor is recorded in its payment's stream, but those of the unsettled payments. */
export type DisputeChangesRead = DomainEvent<'DisputeChangesRead', DisputeReading>;

export interface RecordReading {
  readonly type: 'RecordReading';
  readonly reading: DisputeReading;
}

export const disputeReadingSchemas: EventSchemas<DisputeChangesRead> = { DisputeChangesRead: { version: 1 } };

export const disputeReadingDecider: Decider<DisputeReading, RecordReading, DisputeChangesRead, never> = {
  schemas: disputeReadingSchemas,
  initialState: { cursor: null, unsettled: [] },
  evolve: (_reading, { data }: StoredEvent<DisputeChangesRead>) => data,
  decide: ({ reading }, known) =>
    isSame(reading, known) ? accepted() : accepted<DisputeChangesRead>({ type: 'DisputeChangesRead', data: reading }),
};

function isSame(one: DisputeReading, other: DisputeReading): boolean {
  const payments = ({ unsettled }: DisputeReading) => unsettled.map((of) => `${of.paymentId} ${of.gatewayReference}`);
  return one.cursor === other.cursor && payments(one).join() === payments(other).join();
}
