import { RequestRedeliveriesCommand } from '@app/webhooks/commands/request-redeliveries';
import type { RequestSeed } from '@app/platform/asker';
import type { CommandContext } from '@app/event-sourcing';
import type { WebhookDeliveryBody } from '@app/webhooks/read-models/documents';
import { GetWebhookDeliveryQuery } from '@app/webhooks/read-models/queries';
import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiError } from '@app/platform/http/errors/api-error';
import { whole } from './delivery-pages';
import { shownToMerchant } from './shown-to-merchant';

/**
 * Requests a redelivery and answers with the delivery as it is afterwards.
 *
 * @param which `merchantId` is the required owner; null for the operator.
 * @throws ApiError DELIVERY_NOT_FOUND, READ_MODEL_REBUILDING
 */
export async function redeliverOne(
  buses: { readonly commands: CommandBus; readonly queries: QueryBus },
  context: CommandContext,
  { merchantId, deliveryId }: { readonly merchantId: string | null; readonly deliveryId: string },
  seed: RequestSeed | null,
): Promise<WebhookDeliveryBody> {
  const read = async () => {
    const found = whole(await buses.queries.execute(new GetWebhookDeliveryQuery(merchantId, deliveryId)));
    if (found === null) throw new ApiError('DELIVERY_NOT_FOUND');
    return found;
  };
  const { source } = await read();
  const condition = { merchantId: merchantId ?? undefined };
  const requestId = seed?.requestId ?? null;
  const command = new RequestRedeliveriesCommand(context, [{ deliveryId, source }], condition, requestId);
  // The log decides whether there is such an event and whose it is.
  if ((await buses.commands.execute(command)).found === 0) throw new ApiError('DELIVERY_NOT_FOUND');
  const { body } = await read();
  return merchantId === null ? body : shownToMerchant(body);
}
