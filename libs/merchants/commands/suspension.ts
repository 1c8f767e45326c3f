import { isMerchantId, merchantDecider, merchantStreamId } from '@app/merchants/domain';
import { assert, type CommandContext, CommandHandling } from '@app/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { cardDataRefusal, type CardDataRefused } from './card-data';
import { descriptionOf, type MerchantDescription } from './describe-merchant';
import { MerchantDirectory } from './directory';

export type ChangeSuspensionResult =
  | { readonly kind: 'done'; readonly value: MerchantDescription }
  | { readonly kind: 'refused'; readonly code: 'MERCHANT_NOT_FOUND' }
  | CardDataRefused;

export class ChangeSuspensionCommand extends Command<ChangeSuspensionResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    readonly change: 'suspend' | 'reinstate',
    readonly reason: string | null,
  ) {
    super();
  }
}

/**
 * Suspends or reinstates a merchant; repeating it changes nothing. The change applies at once in this process, to
 * requests after the response.
 */
@CommandHandler(ChangeSuspensionCommand)
export class ChangeSuspensionHandler implements ICommandHandler<ChangeSuspensionCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown; repeat the command. */
  async execute(command: ChangeSuspensionCommand): Promise<ChangeSuspensionResult> {
    const { context, merchantId, change, reason } = command;
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const refused = cardDataRefusal({ reason });
    if (refused !== null) return refused;
    const type = change === 'suspend' ? 'SuspendMerchant' : 'ReinstateMerchant';
    const changed = { type, reason } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), changed, context);
    if (handled.kind === 'rejected') {
      assert(handled.rejection === 'MERCHANT_NOT_FOUND', `${type} was refused with ${handled.rejection}`);
      return { kind: 'refused', code: handled.rejection };
    }
    await this.directory.refresh();
    const merchant = handled.loaded.state;
    assert(merchant, 'a merchant that was suspended or reinstated is registered');
    return { kind: 'done', value: descriptionOf(merchant) };
  }
}
