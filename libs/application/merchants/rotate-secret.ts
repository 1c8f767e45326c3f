import { isMerchantId, merchantDecider, merchantStreamId } from '@app/domain/merchant';
import { assert, Clock, type CommandContext, CommandHandling, isoTime, Random } from '@app/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Vault } from '../keys/vault';
import { makeSigningSecret, makeWebhookSecret } from './credentials';
import { MerchantDirectory, refreshBestEffort } from './directory';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

/** Which secret: the one that signs requests, or the one that signs webhooks. */
export type SecretKind = 'signing' | 'webhook';

export type RotateSecretResult =
  | {
      readonly kind: 'done';
      readonly secret: string;
      /** RFC 3339 UTC: until then the replaced secret holds, too. */
      readonly previousSecretExpiresAt: string;
    }
  | { readonly kind: 'refused'; readonly code: 'MERCHANT_NOT_FOUND' };

export class RotateSecretCommand extends Command<RotateSecretResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    readonly which: SecretKind,
  ) {
    super();
  }
}

/**
 * Puts a new secret in the place of the current one, which lives on for the merchant's grace. At most two hold at once: a
 * further rotation within the grace ends the older one.
 */
@CommandHandler(RotateSecretCommand)
export class RotateSecretHandler implements ICommandHandler<RotateSecretCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly vault: Vault,
    private readonly random: Random,
    private readonly clock: Clock,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown, and the new secret is lost. */
  async execute({ context, merchantId, which }: RotateSecretCommand): Promise<RotateSecretResult> {
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const secret = which === 'signing' ? makeSigningSecret(this.random) : makeWebhookSecret(this.random);
    const command = this.commandOf(merchantId, which, secret);
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') {
      assert(handled.rejection === 'MERCHANT_NOT_FOUND', `a rotation was refused with ${handled.rejection}`);
      return { kind: 'refused', code: handled.rejection };
    }
    await refreshBestEffort(this.directory);
    const merchant = handled.loaded.state;
    const rotated = which === 'signing' ? merchant?.signingSecret : merchant?.webhookSecret;
    assert(rotated?.previous, 'a secret that was rotated has one before it');
    return { kind: 'done', secret, previousSecretExpiresAt: rotated.previous.graceEndsAt };
  }

  private commandOf(merchantId: string, which: SecretKind, secret: string) {
    const now = isoTime(this.clock.nowMs());
    return which === 'signing'
      ? ({
          kind: 'RotateSigningSecret',
          signingSecret: this.vault.seal(secret, signingSecretContext(merchantId)),
          now,
        } as const)
      : ({
          kind: 'RotateWebhookSecret',
          webhookSecret: this.vault.seal(secret, webhookSecretContext(merchantId)),
          now,
        } as const);
  }
}
