import { RequestRedeliveriesCommand } from '@app/application/webhook-deliveries/request-redeliveries';
import type { CommandContext } from '@app/kernel';
import type { WebhookDeliveryBody } from '@app/projections';
import { GetWebhookDeliveryQuery } from '@app/projections/webhook-deliveries/queries';
import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiError } from '../errors/api-error';
import { whole } from './delivery-pages';
import { shownToMerchant } from './shown-to-merchant';

/**
 * Asks for one delivery once more and answers with it as it is after that.
 *
 * @param merchantId whose it has to be; null for the operator.
 * @throws ApiError DELIVERY_NOT_FOUND, READ_MODEL_REBUILDING
 */
export async function redeliverOne(
  buses: { readonly commands: CommandBus; readonly queries: QueryBus },
  context: CommandContext,
  merchantId: string | null,
  deliveryId: string,
): Promise<WebhookDeliveryBody> {
  const read = async () => {
    const found = whole(await buses.queries.execute(new GetWebhookDeliveryQuery(merchantId, deliveryId)));
    if (found === null) throw new ApiError('DELIVERY_NOT_FOUND');
    return found;
  };
  const { facts } = await read();
  await buses.commands.execute(new RequestRedeliveriesCommand(context, [facts]));
  const { body } = await read();
  return merchantId === null ? body : shownToMerchant(body);
}
