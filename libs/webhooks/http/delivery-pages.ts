import type { WebhookDeliveryBody } from '@app/webhooks/read-models/documents';
import { ListWebhookDeliveriesQuery, type WebhookDeliveryListRequest } from '@app/webhooks/read-models/queries';
import type { QueryBus } from '@nestjs/cqrs';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import { ApiError } from '@app/platform/http/errors/api-error';
import type { PageBody } from '@app/platform/http/pages';
import { type PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';

export type DeliveryPageBody = PageBody<WebhookDeliveryBody>;

/**
 * A page of deliveries, newest first, each as `show` returns it. @throws ApiError CURSOR_INVALID, READ_MODEL_REBUILDING
 */
export async function deliveryPage(
  queries: QueryBus,
  filter: Pick<WebhookDeliveryListRequest, 'merchantId' | 'paymentId' | 'status'>,
  page: PageQuery,
  show: (body: WebhookDeliveryBody) => WebhookDeliveryBody = (body) => body,
): Promise<DeliveryPageBody> {
  const { merchantId, status, paymentId = null } = filter;
  // A cursor is valid for the merchant's own list and for the operator's list of that merchant.
  const every = `webhook-deliveries/${merchantId ?? '*'}/${status ?? '*'}`;
  const list = paymentId === null ? every : `${every}/${paymentId}`;
  const after = page.cursor === undefined ? null : decodeCursor(list, page.cursor);
  const request = { ...filter, direction: 'descending', after, limit: pageSizeOf(page) } as const;
  const { items, next } = whole(await queries.execute(new ListWebhookDeliveriesQuery(request)));
  return { items: items.map(({ body }) => show(body)), nextCursor: next === null ? null : encodeCursor(list, next) };
}

/** @throws ApiError while the result would be partial. */
export function whole<T>(result: T | 'rebuilding'): T {
  if (result === 'rebuilding') throw new ApiError('READ_MODEL_REBUILDING');
  return result;
}
