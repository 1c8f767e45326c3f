import { isMerchantId, merchantDecider, type MerchantSettings, merchantStreamId } from '@app/merchants/domain';
import { assert, type CommandContext, CommandHandling } from '@app/event-sourcing';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { MerchantDirectory } from './directory';

export interface MerchantDescription {
  readonly merchantId: string;
  readonly name: string;
  readonly registeredAt: string;
  readonly settings: MerchantSettings;
}

export type ChangeMerchantSettingsResult =
  | { readonly kind: 'done'; readonly value: MerchantDescription }
  | {
      readonly kind: 'refused';
      readonly code: 'MERCHANT_NOT_FOUND' | 'ROTATION_GRACE_OUT_OF_RANGE' | 'FEE_SCHEDULE_INVALID';
    };

export class ChangeMerchantSettingsCommand extends Command<ChangeMerchantSettingsResult> {
  constructor(
    readonly context: CommandContext,
    readonly merchantId: string,
    /** What is absent stays as it is. */
    readonly changes: Partial<MerchantSettings>,
  ) {
    super();
  }
}

/** Changes a merchant's settings. They hold at once in this process, for the requests that come after the answer. */
@CommandHandler(ChangeMerchantSettingsCommand)
export class ChangeMerchantSettingsHandler implements ICommandHandler<ChangeMerchantSettingsCommand> {
  constructor(
    private readonly handling: CommandHandling,
    private readonly directory: MerchantDirectory,
  ) {}

  /** @throws EventStoreUnavailableError: the outcome is unknown; repeating it tells. */
  async execute(command: ChangeMerchantSettingsCommand): Promise<ChangeMerchantSettingsResult> {
    const { context, merchantId, changes } = command;
    if (!isMerchantId(merchantId)) return { kind: 'refused', code: 'MERCHANT_NOT_FOUND' };
    const change = { type: 'ChangeMerchantSettings', changes } as const;
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
    const { name, registeredAt, settings } = merchant;
    return { kind: 'done', value: { merchantId, name, registeredAt, settings } };
  }
}
