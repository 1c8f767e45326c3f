import type { ListedMerchant } from '@app/merchants/commands';
import { decodeCursor, encodeCursor } from '@app/platform/http/cursor';
import type { PageBody } from '@app/platform/http/pages';
import { type PageQuery, pageSizeOf } from '@app/platform/http/query-parameters';
import { type MerchantItem, presentMerchantItem } from './present-merchant';

const LIST = 'merchants';

/** Newest first. @throws ApiError CURSOR_INVALID */
export function pageOfMerchants(merchants: readonly ListedMerchant[], page: PageQuery): PageBody<MerchantItem> {
  const after = page.cursor === undefined ? null : decodeCursor(LIST, page.cursor);
  const ordered = merchants
    .map((listed) => ({ listed, order: `${listed.merchant?.registeredAt ?? ''}|${listed.merchantId}` }))
    .filter(({ order }) => after === null || order < after)
    .sort((a, b) => (a.order < b.order ? 1 : -1));
  const shown = ordered.slice(0, pageSizeOf(page));
  const last = shown.at(-1);
  return {
    items: shown.map(({ listed }) => presentMerchantItem(listed)),
    nextCursor: last !== undefined && shown.length < ordered.length ? encodeCursor(LIST, last.order) : null,
  };
}
