import type { EncryptedSecret, ReencryptedSecret } from '@app/keys/domain';
import {
  liveSecrets,
  type Merchant,
  merchantDecider,
  merchantStreamId,
  type ReplacedSecret,
  encryptedSecretsOf,
} from '@app/merchants/domain';
import { Clock, CommandHandling, isoTime, Random } from '@app/event-sourcing';
import { Injectable } from '@nestjs/common';
import { KeyRing } from '@app/keys/key-ring';
import { SecretCipher } from '@app/keys/secret-cipher';
import { MerchantDirectory } from './directory';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

/** Merchants whose secrets are re-encrypted concurrently; their appends share the log's commits. */
const CONCURRENCY = 64;

export interface RotationOutcome {
  /** Merchants whose secrets this run re-encrypted. */
  readonly merchants: number;
  /** Data keys that this run re-encrypted. */
  readonly dataKeys: number;
  /** Merchants with a secret that is not under the current master key: another process still uses the previous one. */
  readonly left: number;
}

/**
 * Completes a rotation of the master key: re-encrypts every valid secret in the log with the current key, so that the
 * previous one can be removed. It may be repeated, and run in any number of processes at once.
 */
@Injectable()
export class MasterKeyRotation {
  constructor(
    private readonly handling: CommandHandling,
    private readonly cipher: SecretCipher,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly keyRing: KeyRing,
    private readonly directory: MerchantDirectory,
  ) {}

  /**
   * Runs if a previous master key was given, otherwise returns null. The directory must have been read.
   *
   * @throws EventStoreUnavailableError: it may be called again.
   * @throws WrongMasterKeyError, DamagedSecretError
   */
  async finish(): Promise<RotationOutcome | null> {
    if (!this.cipher.isRotating) return null;
    const stale = this.stale();
    let merchants = 0;
    for (let from = 0; from < stale.length; from += CONCURRENCY) {
      const encrypted = await Promise.all(
        stale.slice(from, from + CONCURRENCY).map((merchant) => this.reencrypt(merchant)),
      );
      merchants += encrypted.filter(Boolean).length;
    }
    if (stale.length > 0) await this.directory.refresh();
    // Last, so that a start without the previous key fails at the data keys until everything else is re-encrypted.
    const dataKeys = await this.keyRing.rotate();
    return { merchants, dataKeys, left: this.stale().length };
  }

  private stale(): readonly Merchant[] {
    const now = this.now();
    const isStale = (encrypted: EncryptedSecret) => !this.cipher.isCurrent(encrypted);
    return this.directory.all().filter((merchant) => encryptedSecretsOf(liveSecrets(merchant, now)).some(isStale));
  }

  private async reencrypt(merchant: Merchant): Promise<boolean> {
    const { merchantId } = merchant;
    const now = this.now();
    const live = liveSecrets(merchant, now);
    const reencrypted = [
      ...this.reencryptedOf(
        [live.signingSecret, ...secretsIn(live.previousSigningSecrets)],
        signingSecretContext(merchantId),
      ),
      ...this.reencryptedOf(
        [live.webhookSecret, ...secretsIn(live.previousWebhookSecrets)],
        webhookSecretContext(merchantId),
      ),
    ];
    const command = { type: 'ReencryptMerchantSecrets', reencrypted, now } as const;
    const context = { correlationId: this.random.uuid(), causationId: null, actor: 'worker:master-key-rotation' };
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    return handled.kind === 'accepted' && handled.events.length > 0;
  }

  private reencryptedOf(secrets: readonly EncryptedSecret[], context: string): readonly ReencryptedSecret[] {
    return secrets.flatMap((encrypted) =>
      this.cipher.isCurrent(encrypted) ? [] : [this.cipher.reencrypt(encrypted, context)],
    );
  }

  private now(): string {
    return isoTime(this.clock.nowMs());
  }
}

function secretsIn(replaced: readonly ReplacedSecret[]): readonly EncryptedSecret[] {
  return replaced.map(({ secret }) => secret);
}
