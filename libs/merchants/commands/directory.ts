import { Inject, Injectable } from '@nestjs/common';
import type { EncryptedSecret } from '@app/keys/domain';
import { graceSecrets, type Merchant, MERCHANT_STREAM_PREFIX, type RotatedSecret } from '@app/merchants/domain';
import { Clock, type EventBatch, EventStore, EventStoreUnavailableError, isoTime } from '@app/event-sourcing';
import { DamagedStreams } from '@app/platform/telemetry';
import { SecretCipher } from '@app/keys/secret-cipher';
import type { AuthenticatedMerchant, Merchants, TokenRefusal } from '@app/platform/merchants';
import { type ListedMerchant, MerchantIndex } from './merchant-index';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

/** After this long without a successful read a revocation may have been missed, so no token is accepted. */
const STALE_AFTER_MS = 60_000;
/**
 * Reads on a timer, so that a revocation takes effect everywhere within a second even if the subscription has gone
 * silent.
 */
const READ_EVERY_MS = 500;
const RECONNECT_AFTER_MS = 500;
const PAGE_SIZE = 500;
const FILTER = { streamPrefixes: [MERCHANT_STREAM_PREFIX] };

/** A secret in clear, with replaced ones whose grace is not over, oldest first. */
export interface LiveSecrets {
  readonly current: string;
  readonly previous: readonly string[];
}

/**
 * All merchants in memory, so that authentication costs one hash and one look-up. This process's own changes apply
 * after `refresh`, those of other processes as soon as `follow` receives them.
 */
@Injectable()
export class MerchantDirectory implements Merchants {
  private readonly index = new MerchantIndex();
  /** Decrypted secrets, cached while the state holds their encrypted form. */
  private readonly opened = new WeakMap<EncryptedSecret, string>();
  /** When this process last accepted each token, since the uses were last taken. */
  private usedAtMs = new Map<string, number>();
  private position: bigint | null = null;
  private lastReadAtMs: number | null = null;
  private reading: Promise<void> = Promise.resolve();
  private nextReading: Promise<void> | null = null;

  constructor(
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
    private readonly cipher: SecretCipher,
    @Inject(DamagedStreams) private readonly damaged: Pick<DamagedStreams, 'report'>,
  ) {}

  /**
   * The merchant and scopes of the token's bearer; null if the token is unknown, expired or revoked.
   *
   * @throws DamagedHistoryError if it is unknown whether the token is still valid.
   */
  authenticate(token: string): AuthenticatedMerchant | null {
    return this.index.authenticate(token, this.clock.nowMs());
  }

  /** The reason why `authenticate` returned null for the token. */
  whyRefused(token: string): TokenRefusal {
    return this.index.whyRefused(token);
  }

  noteUse(tokenId: string): void {
    this.usedAtMs.set(tokenId, this.clock.nowMs());
  }

  /** When this process accepted tokens, in ms since the epoch, for uses that have not been taken yet. */
  uses(): ReadonlyMap<string, number> {
    return this.usedAtMs;
  }

  takeUses(): ReadonlyMap<string, number> {
    const taken = this.usedAtMs;
    this.usedAtMs = new Map();
    return taken;
  }

  /** Uses recorded in the meantime are later ones, so they take precedence. */
  giveUsesBack(uses: ReadonlyMap<string, number>): void {
    this.usedAtMs = new Map([...uses, ...this.usedAtMs]);
  }

  /** @throws DamagedHistoryError if the merchant's stream is damaged. */
  find(merchantId: string): Merchant | null {
    return this.index.find(merchantId);
  }

  all(): readonly Merchant[] {
    return this.index.all();
  }

  /** All merchants, including damaged ones, as of the last read: call `refresh` first. */
  listed(): readonly ListedMerchant[] {
    return this.index.listed();
  }

  /**
   * The secrets that may currently sign the merchant's requests, newest first; none for an unknown merchant.
   *
   * @throws DamagedHistoryError, WrongMasterKeyError, DamagedSecretError
   */
  signingSecrets(merchantId: string): readonly string[] {
    const merchant = this.find(merchantId);
    if (merchant === null) return [];
    const { current, previous } = this.live(merchant.signingSecret, signingSecretContext(merchantId));
    return [current, ...previous.toReversed()];
  }

  /**
   * The secrets that currently sign the merchant's webhooks; null for an unknown merchant.
   *
   * @throws DamagedHistoryError, WrongMasterKeyError, DamagedSecretError
   */
  webhookSecrets(merchantId: string): LiveSecrets | null {
    const merchant = this.find(merchantId);
    return merchant === null ? null : this.live(merchant.webhookSecret, webhookSecretContext(merchantId));
  }

  /** Whether a revocation may have been missed, so that requests must be answered with 503. */
  isStale(): boolean {
    return this.lastReadAtMs === null || this.clock.monotonicMs() - this.lastReadAtMs > STALE_AFTER_MS;
  }

  /**
   * Reads to the end of the log: everything appended before the call applies once it resolves. Calls made while a read
   * is running share the next one.
   *
   * @throws EventStoreUnavailableError
   */
  refresh(): Promise<void> {
    this.nextReading ??= this.reading.then(() => {
      this.nextReading = null;
      const reading = this.readOn();
      this.reading = reading.catch(() => undefined);
      return reading;
    });
    return this.nextReading;
  }

  /** Follows the log until `signal` is aborted, and reconnects when the store was unavailable. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.followOnce(signal);
      } catch (error) {
        if (!(error instanceof EventStoreUnavailableError)) throw error;
      }
      await this.clock.sleep(RECONNECT_AFTER_MS, signal);
    }
  }

  /** The subscription delivers changes at once; the reads in parallel detect that it has gone silent. */
  private async followOnce(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const end = (): void => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    try {
      const parts = [this.subscribe(ended.signal), this.keepReading(ended.signal)];
      for (const part of await Promise.allSettled(parts.map((running) => running.finally(end)))) {
        if (part.status === 'rejected') throw part.reason;
      }
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  private async subscribe(signal: AbortSignal): Promise<void> {
    const options = { after: this.position, filter: FILTER, maxBatch: PAGE_SIZE, signal };
    for await (const batch of this.eventStore.subscribe(options)) this.take(batch);
  }

  private async keepReading(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.sleep(READ_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.refresh();
    }
  }

  private async readOn(): Promise<void> {
    for (let caughtUp = false; !caughtUp;) {
      const batch = await this.eventStore.readAll({ after: this.position, filter: FILTER, maxCount: PAGE_SIZE });
      this.take(batch);
      ({ caughtUp } = batch);
    }
  }

  private take(batch: EventBatch): void {
    for (const event of batch.events) {
      const damage = this.index.apply(event);
      if (damage !== null) this.damaged.report(damage);
    }
    // A subscription and a read may overtake each other. Each has delivered everything up to its own position, so the
    // greater one counts.
    if (batch.position !== null && (this.position === null || batch.position > this.position)) {
      this.position = batch.position;
    }
    this.lastReadAtMs = this.clock.monotonicMs();
  }

  private live(secret: RotatedSecret, context: string): LiveSecrets {
    const previous = graceSecrets(secret, isoTime(this.clock.nowMs()));
    return {
      current: this.open(secret.current, context),
      previous: previous.map((replaced) => this.open(replaced.secret, context)),
    };
  }

  private open(encrypted: EncryptedSecret, context: string): string {
    const known = this.opened.get(encrypted);
    if (known !== undefined) return known;
    const secret = this.cipher.decryptText(encrypted, context);
    this.opened.set(encrypted, secret);
    return secret;
  }
}

/** For changes whose response holds a secret that is shown only once: a failing read must not lose that response. */
export async function refreshBestEffort(directory: MerchantDirectory): Promise<void> {
  try {
    await directory.refresh();
  } catch (error) {
    if (!(error instanceof EventStoreUnavailableError)) throw error;
  }
}
