import { assertNotDeleted, DamagedHistoryError, type EventStore, type Loaded, readEvent } from '@app/event-sourcing';
import {
  type DisputeChangesRead,
  type DisputeReading,
  disputeReadingDecider,
  disputeReadingSchemas,
  GATEWAY_DISPUTES_STREAM_ID,
  type UnsettledPayment,
} from '@app/payments/domain';
import type { Worker } from '@app/platform/lifecycle';
import { failureLog } from '@app/platform/telemetry';
import { call, type GatewayCallDependencies } from './gateway-calls';
import { recordDispute, type RecordDisputesDependencies } from './record-disputes';

/** How late a dispute is known if its notice was lost. */
const POLL_EVERY_MS = 60_000;
/** Beyond this number the cursor stands still until some are settled. */
const MAX_UNSETTLED = 100;

export interface DisputeWorkerDependencies extends GatewayCallDependencies, RecordDisputesDependencies {
  readonly eventStore: Pick<EventStore, 'readStream' | 'wasDeletedFrom'>;
}

/**
 * Reads the gateway's list of dispute changes and records each in its payment's stream, then how far it has read. If it
 * dies in between, the same changes are read again, which changes nothing. One worker is enough; several do no harm.
 */
export class DisputeWorker implements Worker {
  readonly name = 'disputes';

  constructor(private readonly deps: DisputeWorkerDependencies) {}

  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    while (!signal.aborted) {
      try {
        await this.poll(signal);
      } catch (error) {
        this.failed(error);
      }
      await clock.sleep(POLL_EVERY_MS, signal);
    }
  }

  private async poll(signal: AbortSignal): Promise<void> {
    let loaded = await this.load();
    const unsettled = await this.retried(loaded.state.unsettled, signal);
    let { cursor } = loaded.state;
    for (let hasMore = true; hasMore && !signal.aborted;) {
      const page = unsettled.size < MAX_UNSETTLED ? await this.changesAfter(cursor, signal) : null;
      for (const dispute of page?.disputes ?? []) {
        const { paymentId, gatewayReference } = dispute;
        if ((await recordDispute(this.deps, dispute)) === 'settled') continue;
        unsettled.set(paymentId + gatewayReference, { paymentId, gatewayReference });
      }
      hasMore = page?.hasMore === true && page.cursor !== cursor;
      cursor = page?.cursor ?? cursor;
      loaded = await this.record(loaded, { cursor, unsettled: [...unsettled.values()] });
    }
  }

  /** The last event holds everything. @throws DamagedHistoryError */
  private async load(): Promise<Loaded<DisputeReading>> {
    const { eventStore } = this.deps;
    const [last] = await eventStore.readStream(GATEWAY_DISPUTES_STREAM_ID, { direction: 'backwards', maxCount: 1 });
    if (last === undefined) {
      await assertNotDeleted(eventStore, GATEWAY_DISPUTES_STREAM_ID);
      return { state: disputeReadingDecider.initialState, last: null };
    }
    const event = readEvent<DisputeChangesRead>(last, disputeReadingSchemas);
    const { hash, recordedAt } = event.metadata;
    return { state: event.data, last: { revision: event.revision, hash, recordedAt } };
  }

  /** @returns the payments that are still unsettled. */
  private async retried(
    payments: readonly UnsettledPayment[],
    signal: AbortSignal,
  ): Promise<Map<string, UnsettledPayment>> {
    const { gateway } = this.deps;
    const unsettled = new Map<string, UnsettledPayment>();
    for (const payment of payments) {
      const { paymentId, gatewayReference } = payment;
      const asked = await call(this.deps, 'DISPUTES', signal, (within) => gateway.disputesOf(gatewayReference, within));
      const disputes = 'retry' in asked ? null : asked.answer;
      let isSettled = disputes !== null;
      for (const dispute of disputes ?? []) {
        if ((await recordDispute(this.deps, dispute)) === 'unsettled') isSettled = false;
      }
      if (!isSettled) unsettled.set(paymentId + gatewayReference, payment);
    }
    return unsettled;
  }

  private async changesAfter(cursor: string | null, signal: AbortSignal) {
    const { gateway } = this.deps;
    const asked = await call(this.deps, 'DISPUTES', signal, (within) => gateway.disputeChanges(cursor, within));
    return 'retry' in asked ? null : asked.answer;
  }

  private async record(loaded: Loaded<DisputeReading>, reading: DisputeReading): Promise<Loaded<DisputeReading>> {
    const { handling, random } = this.deps;
    const context = { correlationId: random.uuid(), causationId: null, actor: 'worker:disputes' };
    const command = { type: 'RecordReading', reading } as const;
    const handled = await handling.handle(disputeReadingDecider, GATEWAY_DISPUTES_STREAM_ID, command, context, loaded);
    return handled.loaded;
  }

  private failed(error: unknown): void {
    if (error instanceof DamagedHistoryError) return this.deps.damaged.report(error);
    const message = 'disputes are read again in a minute';
    failureLog(this.deps).failed({ level: 'warn', message, fields: {} }, error);
  }
}
