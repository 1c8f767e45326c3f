import { Injectable } from '@nestjs/common';
import { merchantDecider, merchantStreamId } from '@app/merchants/domain';
import { assert, type CommandContext, CommandHandling, Random } from '@app/event-sourcing';
import { SecretCipher } from '@app/keys/secret-cipher';
import { newToken, type MerchantCredentials } from './credentials';
import { MerchantDirectory } from './directory';
import { signingSecretContext, webhookSecretContext } from './secret-contexts';

/** Registers a merchant with given credentials, and its first token in the same append. */
@Injectable()
export class MerchantRegistration {
  constructor(
    private readonly handling: CommandHandling,
    private readonly cipher: SecretCipher,
    private readonly random: Random,
    private readonly directory: MerchantDirectory,
  ) {}

  /**
   * `repeated` if the merchant was already registered with this access token; then nothing changes.
   *
   * @throws EventStoreUnavailableError: the outcome is unknown; repeat the call.
   */
  async register(
    context: CommandContext,
    name: string,
    { merchantId, accessToken, signingSecret, webhookSecret }: MerchantCredentials,
    random: Random = this.random,
  ): Promise<'registered' | 'repeated' | 'MERCHANT_EXISTS'> {
    const command = {
      type: 'RegisterMerchant',
      merchantId,
      name,
      signingSecret: this.cipher.encrypt(signingSecret, signingSecretContext(merchantId)),
      webhookSecret: this.cipher.encrypt(webhookSecret, webhookSecretContext(merchantId)),
      token: newToken(random, accessToken),
    } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), command, context);
    if (handled.kind === 'rejected') {
      assert(handled.rejection === 'MERCHANT_EXISTS', `a registration was refused with ${handled.rejection}`);
      return handled.rejection;
    }
    await this.directory.refreshBestEffort();
    return handled.events.length > 0 ? 'registered' : 'repeated';
  }
}
