import type { CollectionName, ListedDocument, PageRequest, ReadStore } from '@app/event-sourcing';
import type { ListPaymentsQuery, PaymentPage } from './list-queries';
import { paymentListOf, type PaymentView } from './payment-view';

/**
 * A payment's JSON is about 900 bytes, but up to 160 KiB with the most metadata allowed. A page stays within this size,
 * which takes 20 ms of the thread.
 */
const MAX_PAGE_BYTES = 1024 * 1024;
/**
 * Filters beyond the chosen list are applied to at most this many payments per page, so a page may hold fewer than
 * asked for.
 */
const MAX_SCANNED = 500;
const MAX_SCANNED_BYTES = MAX_PAGE_BYTES;
/** FIRST_STEP is read first, while the sizes are unknown; MAX_STEP is the most read at once. */
const FIRST_STEP = 5;
const MAX_STEP = 50;

/** One page of the list, newest first. If it ends early because of its size or the time it takes, `next` continues. */
export async function paymentPage(
  readStore: ReadStore,
  name: CollectionName,
  query: ListPaymentsQuery,
): Promise<PaymentPage> {
  const { merchantId, filters, limit } = query;
  const { list, rest } = paymentListOf(merchantId, filters);
  const found: ListedDocument[] = [];
  let [foundBytes, scannedBytes, scanned, step] = [0, 0, 0, FIRST_STEP];
  // An order key is a time, `|` and an id, so a time alone sorts before all keys with that time.
  let after = query.after ?? filters.createdTo ?? null;
  while (scanned < MAX_SCANNED && scannedBytes < MAX_SCANNED_BYTES) {
    const wanted = rest.length === 0 ? Math.min(limit + 1 - found.length, step) : step;
    const request: PageRequest = { name, list, direction: 'descending', after, limit: wanted };
    const page = await readStore.page({ ...request, until: filters.createdFrom ?? null });
    for (const entry of page) {
      const view = entry.document as PaymentView;
      const bytes = Buffer.byteLength(JSON.stringify(view.body));
      scannedBytes += bytes;
      if (view.merchantId !== merchantId || !rest.every((fits) => fits(view))) continue;
      // One more than asked for shows that there is a next page. A single payment always fits on a page.
      const isFull = found.length === limit || (found.length > 0 && foundBytes + bytes > MAX_PAGE_BYTES);
      if (isFull) return pageOf(found, found.at(-1)?.order ?? null);
      found.push(entry);
      foundBytes += bytes;
    }
    if (page.length < wanted) return pageOf(found, null);
    after = page.at(-1)?.order ?? after;
    scanned += page.length;
    // As many as fit if the rest are as large as those scanned so far, on average.
    const fitting = Math.floor(((MAX_SCANNED_BYTES - scannedBytes) * scanned) / scannedBytes);
    step = Math.max(1, Math.min(fitting, MAX_STEP, MAX_SCANNED - scanned));
  }
  return pageOf(found, after);
}

function pageOf(entries: readonly ListedDocument[], next: string | null): PaymentPage {
  return { items: entries.map(({ document }) => (document as PaymentView).body), next };
}
