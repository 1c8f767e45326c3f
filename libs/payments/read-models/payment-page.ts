import type { CollectionName, ListedDocument, PageRequest, ReadStore } from '@app/event-sourcing';
import type { ListPaymentsQuery, PaymentPage } from './list-queries';
import { paymentListOf, type PaymentView } from './payment-view';

/** A payment's JSON is some 900 bytes, but as much as 160 KiB with all the metadata it may have. A page ends before these: they take 20 ms of the thread. */
const MAX_PAGE_BYTES = 1024 * 1024;
/** Filters beyond the chosen list are applied to at most so many payments a page; a page may then hold fewer than asked. */
const MAX_SCANNED = 500;
const MAX_SCANNED_BYTES = MAX_PAGE_BYTES;
/** Read at first, while nobody knows how large they are, and at most read at once. */
const FIRST_STEP = 5;
const MAX_STEP = 50;

/** One page of the list, newest first; where it ends early, for its size or the time it takes, `next` leads on. */
export async function paymentPage(
  readStore: ReadStore,
  name: CollectionName,
  query: ListPaymentsQuery,
): Promise<PaymentPage> {
  const { merchantId, filters, limit } = query;
  const { list, rest } = paymentListOf(merchantId, filters);
  const found: ListedDocument[] = [];
  let [foundBytes, scannedBytes, scanned, step] = [0, 0, 0, FIRST_STEP];
  // An order is a time, `|` and an id: a time alone stands before all orders of that time.
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
      // One more than asked for tells that there is a next page. A single payment is never too large for one.
      const isFull = found.length === limit || (found.length > 0 && foundBytes + bytes > MAX_PAGE_BYTES);
      if (isFull) return pageOf(found, found.at(-1)?.order ?? null);
      found.push(entry);
      foundBytes += bytes;
    }
    if (page.length < wanted) return pageOf(found, null);
    after = page.at(-1)?.order ?? after;
    scanned += page.length;
    // As many as there is room for, if the others are as large as these were.
    const fitting = Math.floor(((MAX_SCANNED_BYTES - scannedBytes) * scanned) / scannedBytes);
    step = Math.max(1, Math.min(fitting, MAX_STEP, MAX_SCANNED - scanned));
  }
  return pageOf(found, after);
}

function pageOf(entries: readonly ListedDocument[], next: string | null): PaymentPage {
  return { items: entries.map(({ document }) => (document as PaymentView).body), next };
}
