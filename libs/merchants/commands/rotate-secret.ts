import { isMerchantId, merchantDecider, merchantStreamId, type SecretKind } from '@app/merchants/domain';
import { assert, Clock, type CommandContext, CommandHandling, isoTime, Random } from '@app/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SecretCipher } from '@app/keys/secret-cipher';
import type { RequestSeed } from '@app/platform/asker';
import { makeSigningSecret, makeWebhookSecret } from './credentials';
import { MerchantDirectory } from './directory';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

export type RotateSecretResult =
  | {
      readonly kind: 'done';
      readonly secret: string;
      /** RFC 3339 UTC: the replaced secret remains valid until then. */
      readonly previousSecretExpiresAt: string;
    }
  | { readonly kind: 'refused'; readonly code: 'MERCHANT_NOT_FOUND' | 'TOO_MANY_SECRETS' };

export class RotateSecretCommand extends Command<RotateSecretResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    readonly which: SecretKind,
    readonly seed: RequestSeed | null = null,
  ) {
    super();
  }
}

/**
 * Replaces the current secret with a new one. The replaced secret stays valid for the merchant's grace, and earlier
 * ones until theirs ends. A request with an idempotency key rotates only once, and every repeat returns the same
 * secret.
 */
@CommandHandler(RotateSecretCommand)
export class RotateSecretHandler implements ICommandHandler<RotateSecretCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly cipher: SecretCipher,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown, and the new secret is lost. */
  async execute({ context, merchantId, which, seed }: RotateSecretCommand): Promise<RotateSecretResult> {
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const random = seed?.random ?? this.random;
    const [secret, secretContext] =
      which === 'signing'
        ? [makeSigningSecret(random), signingSecretContext(merchantId)]
        : [makeWebhookSecret(random), webhookSecretContext(merchantId)];
    const command = {
      type: 'RotateSecret',
      which,
      secret: this.cipher.encrypt(secret, secretContext),
      requestId: seed?.requestId,
      now: isoTime(this.clock.nowMs()),
    } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') {
      const { rejection: code } = handled;
      assert(code === 'MERCHANT_NOT_FOUND' || code === 'TOO_MANY_SECRETS', `a rotation was refused with ${code}`);
      return { kind: 'refused', code };
    }
    await this.directory.refreshBestEffort();
    const merchant = handled.loaded.state;
    const rotated = which === 'signing' ? merchant?.signingSecret : merchant?.webhookSecret;
    const asked = rotated?.requests.find(({ requestId }) => requestId === seed?.requestId);
    const promised = asked ?? rotated?.previous.at(-1);
    assert(promised, 'a secret that was rotated has one before it');
    return { kind: 'done', secret, previousSecretExpiresAt: promised.graceEndsAt };
  }
}
