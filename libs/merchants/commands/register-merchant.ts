import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { isMerchantId } from '@app/merchants/domain';
import { assert, type CommandContext, Random } from '@app/event-sourcing';
import type { RequestSeed } from '@app/platform/asker';
import { cardDataRefusal, type CardDataRefused } from './card-data';
import { makeCredentials, type MerchantCredentials } from './credentials';
import { MerchantRegistration } from './registration';

export interface RegisterMerchantRequest {
  /** `^[A-Za-z0-9_]{1,64}$`; generated when absent. */
  readonly merchantId?: string | undefined;
  readonly name: string;
}

export type RegisterMerchantResult =
  | { readonly kind: 'done'; readonly value: MerchantCredentials & { readonly name: string } }
  | { readonly kind: 'refused'; readonly code: 'MERCHANT_EXISTS' }
  | CardDataRefused;

export class RegisterMerchantCommand extends Command<RegisterMerchantResult> {
  constructor(
    readonly context: CommandContext,
    readonly request: RegisterMerchantRequest,
    readonly seed: RequestSeed | null = null,
  ) {
    super();
  }
}

/** Registers a merchant with new credentials; only the response holds them in clear. */
@CommandHandler(RegisterMerchantCommand)
export class RegisterMerchantHandler implements ICommandHandler<RegisterMerchantCommand> {
  constructor(
    private readonly registration: MerchantRegistration,
    private readonly random: Random,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown, and the credentials are lost. */
  async execute({ context, request, seed }: RegisterMerchantCommand): Promise<RegisterMerchantResult> {
    const { merchantId, name } = request;
    assert(
      merchantId === undefined || isMerchantId(merchantId),
      'the form of a merchant id is checked with the request',
    );
    const refused = cardDataRefusal({ merchantId, name });
    if (refused !== null) return refused;
    const random = seed?.random ?? this.random;
    const credentials = makeCredentials(random, merchantId);
    const outcome = await this.registration.register(context, name, credentials, random);
    if (outcome === 'MERCHANT_EXISTS') return { kind: 'refused', code: outcome };
    return { kind: 'done', value: { ...credentials, name } };
  }
}
