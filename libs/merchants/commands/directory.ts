import { Inject, Injectable } from '@nestjs/common';
import type { EncryptedSecret } from '@app/keys/domain';
import { graceSecrets, type Merchant, MERCHANT_STREAM_PREFIX, type RotatedSecret } from '@app/merchants/domain';
import { Clock, EventStore, isoTime, type RecordedEvent } from '@app/event-sourcing';
import { DamagedStreams } from '@app/platform/telemetry';
import { SecretCipher } from '@app/keys/secret-cipher';
import type { AuthenticatedMerchant, Merchants, TokenRefusal } from '@app/platform/merchants';
import { StreamFollower } from '@app/platform/stream-follower';
import { type ListedMerchant, MerchantIndex } from './merchant-index';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

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
  private readonly follower: StreamFollower;

  constructor(
    eventStore: EventStore,
    private readonly clock: Clock,
    private readonly cipher: SecretCipher,
    @Inject(DamagedStreams) private readonly damaged: Pick<DamagedStreams, 'report'>,
  ) {
    const take = (event: RecordedEvent): void => this.take(event);
    this.follower = new StreamFollower({ eventStore, clock, streamPrefix: MERCHANT_STREAM_PREFIX, take });
  }

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
    return this.follower.isStale();
  }

  /** Everything appended before the call applies once it resolves. @throws EventStoreUnavailableError */
  refresh(): Promise<void> {
    return this.follower.refresh();
  }

  /** For changes whose response holds a secret that is shown only once: a failing read must not lose that response. */
  refreshBestEffort(): Promise<void> {
    return this.follower.refreshBestEffort();
  }

  /** Follows the log until `signal` is aborted, and reconnects when the store was unavailable. */
  follow(signal: AbortSignal): Promise<void> {
    return this.follower.follow(signal);
  }

  private take(event: RecordedEvent): void {
    const damage = this.index.apply(event);
    if (damage !== null) this.damaged.report(damage);
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
