import { Injectable } from '@nestjs/common';
import { merchantDecider, merchantStreamId } from '@app/domain/merchant';
import { assert, type CommandContext, CommandHandling, EventStoreUnavailableError, Random } from '@app/kernel';
import { Vault } from '../keys/vault';
import { firstToken, type MerchantCredentials } from './credentials';
import { MerchantDirectory } from './directory';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

/** Registers a merchant under given credentials, with its first token in the same append. */
@Injectable()
export class MerchantRegistration {
  constructor(
    private readonly handling: CommandHandling,
    private readonly vault: Vault,
    private readonly random: Random,
    private readonly directory: MerchantDirectory,
  ) {}

  /**
   * `repeated` when the merchant was registered with this very access token before: nothing was changed.
   *
   * @throws EventStoreUnavailableError: the outcome is unknown; the same call tells.
   */
  async register(
    context: CommandContext,
    name: string,
    { merchantId, accessToken, signingSecret, webhookSecret }: MerchantCredentials,
  ): Promise<'registered' | 'repeated' | 'MERCHANT_EXISTS'> {
    const command = {
      kind: 'RegisterMerchant',
      merchantId,
      name,
      signingSecret: this.vault.seal(signingSecret, signingSecretContext(merchantId)),
      webhookSecret: this.vault.seal(webhookSecret, webhookSecretContext(merchantId)),
      token: firstToken(this.random, accessToken),
    } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') {
      assert(handled.rejection === 'MERCHANT_EXISTS', `a registration was refused with ${handled.rejection}`);
      return handled.rejection;
    }
    await this.refreshDirectory();
    return handled.events.length > 0 ? 'registered' : 'repeated';
  }

  /** The merchant is registered by now, and its credentials are shown only once: a failing read must not lose them. */
  private async refreshDirectory(): Promise<void> {
    try {
      await this.directory.refresh();
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
    }
  }
}
