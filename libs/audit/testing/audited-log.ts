import { paymentSchemas } from '@app/payments/domain';
import { sealDecider, SEALS_STREAM_ID } from '@app/audit/domain';
import { accepted, CommandHandling, type Decider, type DomainEvent, type EventStore } from '@app/event-sourcing';
import type { RecordedEvent } from '@app/event-sourcing';
import { SpecProofs } from '@app/event-sourcing/testing/spec-proofs';
import { ManualClock } from '@app/platform/testing/manual-clock';
import { SeededRandom } from '@app/platform/testing/seeded-random';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { Sealer } from '../sealer/sealer';
import { type SealingKey, sealingKey, SealingKeys } from '../sealer/sealing-keys';
import { HEAD_FORMAT, type TrustedHead } from '../verify/trusted-head';
import { NewerEventError, Verification, type VerificationOptions } from '../verify/verification';

/** Appends any events, well-formed or not. */
const anyEvents: Decider<null, readonly DomainEvent[], DomainEvent, never> = {
  schemas: { ...paymentSchemas, ComesLater: { version: 1 } },
  initialState: null,
  evolve: (state) => state,
  decide: (events) => accepted(...events),
};

export const CONTEXT = { correlationId: 'req-1', causationId: null, actor: 'merchant:mer_1' };

/** Keys made of one number each; the last one is current. */
export class SpecSealingKeys extends SealingKeys {
  constructor(readonly seeds: number[] = [1]) {
    super();
  }

  override all(): readonly [SealingKey, ...SealingKey[]] {
    const [current, ...older] = [...this.seeds].reverse().map((seed) => sealingKey(new Uint8Array(32).fill(seed)));
    return [current!, ...older];
  }

  get publicKey(): string {
    return this.all()[0].publicKey;
  }
}

/** A log with payments and seals, and what an auditor says of it. */
export class AuditedLog {
  readonly random: SeededRandom;
  readonly handling: CommandHandling;
  readonly isRefused = (event: RecordedEvent) => event.metadata.includes('"actor":"nobody"');

  constructor(
    readonly eventStore: EventStore = new MemoryEventStore(),
    readonly keys = new SpecSealingKeys(),
    readonly clock = new ManualClock(),
    seed = 7,
  ) {
    this.random = new SeededRandom(seed);
    this.handling = new CommandHandling({ eventStore, clock, random: this.random, proofs: new SpecProofs() });
  }

  /** Another process on the same log. */
  process(seed: number): AuditedLog {
    return new AuditedLog(this.eventStore, this.keys, this.clock, seed);
  }

  newSealer(): Sealer {
    return new Sealer(this);
  }

  async write(payment: number, ...amounts: readonly string[]): Promise<void> {
    const events = amounts.map((amountMinor) => ({ type: 'PaymentCaptured', data: { amountMinor } }));
    await this.handling.handle(anyEvents, streamOf(payment), events, CONTEXT);
  }

  async writeLater(payment: number): Promise<void> {
    await this.handling.handle(anyEvents, streamOf(payment), [{ type: 'ComesLater', data: {} }], CONTEXT);
  }

  async lastSeal() {
    return (await this.handling.load(sealDecider, SEALS_STREAM_ID)).state;
  }

  async events(): Promise<RecordedEvent[]> {
    const filter = { streamPrefixes: [''] };
    return [...(await this.eventStore.readAll({ after: null, filter, maxCount: 100_000 })).events];
  }

  /** Three payments in two seals, and one event after them. */
  async fill(): Promise<this> {
    const sealer = this.newSealer();
    await this.write(1, '100', '200', '300');
    await this.write(2, '10');
    await this.write(1, '400');
    await sealer.seal();
    await this.clock.advance(30_000);
    await this.write(3, '1', '2');
    await this.write(2, '20', '30');
    await sealer.seal();
    await this.write(3, '3');
    return this;
  }
}

export function streamOf(payment: number): string {
  return `payment-${String(payment).padStart(26, '0')}`;
}

/** Verifies events as if they were a log of the embedded store: at positions without gaps, as they stand. */
export function verified(events: readonly RecordedEvent[], options: Partial<VerificationOptions> = {}): Verification {
  const verification = new Verification({ publicKey: null, trustedHead: null, isGapless: false, ...options });
  try {
    for (const event of events) verification.take(event);
    verification.finish();
  } catch (error) {
    if (!(error instanceof NewerEventError)) throw error;
  }
  return verification;
}

export function headOf(verification: Verification): TrustedHead {
  const { size, root } = verification.progress;
  const { sealedAt, publicKey } = verification.seals.state;
  return { format: HEAD_FORMAT, size, root, sealedAt: sealedAt!, publicKey: publicKey! };
}
