import { isMerchantId, merchantDecider, type MerchantSettings, merchantStreamId } from '@app/merchants/domain';
import { assert, type CommandContext, CommandHandling } from '@app/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { cardDataRefusal, type CardDataRefused } from './card-data';
import { descriptionOf, type MerchantDescription } from './describe-merchant';
import { MerchantDirectory } from './directory';

export type ChangeMerchantSettingsResult =
  | { readonly kind: 'done'; readonly value: MerchantDescription }
  | {
      readonly kind: 'refused';
      readonly code: 'MERCHANT_NOT_FOUND' | 'ROTATION_GRACE_OUT_OF_RANGE' | 'FEE_SCHEDULE_INVALID';
    }
  | CardDataRefused;

export class ChangeMerchantSettingsCommand extends Command<ChangeMerchantSettingsResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    /** Absent fields stay unchanged. */
    readonly changes: Partial<MerchantSettings>,
    readonly name?: string,
  ) {
    super();
  }
}

/**
 * Changes a merchant's settings or name. The change applies at once in this process, to requests after the response.
 */
@CommandHandler(ChangeMerchantSettingsCommand)
export class ChangeMerchantSettingsHandler implements ICommandHandler<ChangeMerchantSettingsCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown; repeat the command. */
  async execute(command: ChangeMerchantSettingsCommand): Promise<ChangeMerchantSettingsResult> {
    const { context, merchantId, changes, name } = command;
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const refused = cardDataRefusal({ name });
    if (refused !== null) return refused;
    const change = { type: 'ChangeMerchantSettings', changes, name } as const;
    const handled = await this.handling.handle(merchantDecider, merchantStreamId(merchantId), change, context);
    if (handled.kind === 'rejected') {
      const { rejection } = handled;
      assert(
        rejection === 'MERCHANT_NOT_FOUND' ||
          rejection === 'ROTATION_GRACE_OUT_OF_RANGE' ||
          rejection === 'FEE_SCHEDULE_INVALID',
        `a change of settings was refused with ${rejection}`,
      );
      return { kind: 'refused', code: rejection };
    }
    await this.directory.refresh();
    const merchant = handled.loaded.state;
    assert(merchant, 'a merchant whose settings were changed is registered');
    return { kind: 'done', value: descriptionOf(merchant) };
  }
}
