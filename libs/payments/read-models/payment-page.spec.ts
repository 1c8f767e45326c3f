import type { DocumentWrite } from '@app/event-sourcing';
import { MemoryReadStore } from '@app/stores/testing/memory-read-store';
import { ListPaymentsQuery, type PaymentFilters, type PaymentPage } from './list-queries';
import { paymentPage } from './payment-page';
import { paymentView, type PaymentView } from './payment-view';
import { paymentsProjection, paymentViews } from './projection';

const AMOUNT = { value: '1.00', currency: 'EUR' };

function view(n: number, metadata: Readonly<Record<string, string>>, payerId: string): PaymentView {
  const createdAt = new Date(Date.UTC(2026, 0, 15, 12, 0, 0, n)).toISOString();
  return {
    merchantId: 'm1',
    orderId: 'o',
    payerId,
    currency: 'EUR',
    refundedMinor: '0',
    revision: 0,
    body: {
      paymentId: `pay_${String(n).padStart(26, '0')}`,
      status: 'PROCESSING',
      amount: AMOUNT,
      timeline: { createdAt },
      transactions: [],
      orderId: 'o',
      payer: { payerId, maskedCardNumber: '411111******1111' },
      captureMethod: 'AUTOMATIC',
      riskLevel: 'LOW',
      capturedAmount: AMOUNT,
      refundedAmount: AMOUNT,
      disputes: [],
      merchantMetadata: metadata,
    },
  };
}

class CountingReadStore extends MemoryReadStore {
  readDocuments = 0;

  override async page(request: Parameters<MemoryReadStore['page']>[0]) {
    const listed = await super.page(request);
    this.readDocuments += listed.length;
    return listed;
  }
}

/** This many payments, each with about `bytes` of metadata and a payer chosen by `payerOf`, and their list. */
async function setUp(count: number, bytes: number, payerOf: (n: number) => string = () => 'p') {
  const readStore = new CountingReadStore();
  const { name: projection } = paymentsProjection;
  const { version } = await readStore.open(projection, { declaredVersion: 1, head: null, nowMs: 1 });
  const writes = Array.from({ length: count }, (_, n): DocumentWrite => {
    const document = view(n, { note: 'x'.repeat(bytes) }, payerOf(n));
    const listEntries = paymentView.listEntries?.(document) ?? [];
    return { collection: paymentView.name, key: document.body.paymentId, document, listEntries };
  });
  const next = { position: 1n, lastEvent: null, events: 0 };
  await readStore.commit({ projection, version, declaredVersion: 1, expected: null, next, writes });
  const page = (filters: PaymentFilters, after: string | null, limit: number) =>
    paymentPage(readStore, paymentViews, new ListPaymentsQuery('m1', filters, after, limit));
  const allPages = async (filters: PaymentFilters, limit: number) => {
    const pages: PaymentPage[] = [];
    do pages.push(await page(filters, pages.at(-1)?.next ?? null, limit));
    while (pages.at(-1)?.next !== null);
    return pages;
  };
  return { readStore, page, allPages };
}

const numbersOf = (pages: readonly PaymentPage[]) =>
  pages.flatMap(({ items }) => items.map(({ paymentId }) => Number(paymentId.slice(4))));
const newestFirst = (count: number) => Array.from({ length: count }, (_, n) => count - 1 - n);

describe('a page of payments', () => {
  it.each([1, 24, 25, 26, 100])('has as many as were asked for, be that %d, while they are small', async (limit) => {
    const { allPages } = await setUp(130, 10);
    const pages = await allPages({}, limit);
    expect(pages).toHaveLength(Math.ceil(130 / limit));
    expect(pages[0]?.items).toHaveLength(limit);
    expect(numbersOf(pages)).toEqual(newestFirst(130));
  });

  it('ends before 1 MiB, and the next one goes on from there', async () => {
    const { readStore, page, allPages } = await setUp(60, 150_000);
    const first = await page({}, null, 100);
    expect(first.items).toHaveLength(6);
    expect(JSON.stringify(first.items).length).toBeLessThan(1024 * 1024);
    // One more than fits: sizes are unknown, so documents are read a few at a time.
    expect(readStore.readDocuments).toBe(7);
    expect(numbersOf(await allPages({}, 100))).toEqual(newestFirst(60));
  });

  it('has one payment at least, however large', async () => {
    const { allPages } = await setUp(3, 3 * 1024 * 1024);
    const pages = await allPages({}, 100);
    expect(pages.map(({ items }) => items.length)).toEqual([1, 1, 1]);
  });

  it('is exactly full without a next one where nothing more is there', async () => {
    const { page } = await setUp(6, 150_000);
    expect(await page({}, null, 6)).toMatchObject({ items: { length: 6 }, next: null });
  });

  it('looks at 1 MiB at most of what does not fit, and still finds all', async () => {
    const { readStore, page, allPages } = await setUp(100, 150_000, (n) => (n % 30 === 0 ? 'rare' : 'p'));
    const filters = { payerId: 'rare', currency: 'EUR', status: 'PROCESSING' } as const;
    expect(numbersOf(await allPages(filters, 100))).toEqual([90, 60, 30, 0]);
    const scanning = { orderId: 'o', payerId: 'nobody' };
    readStore.readDocuments = 0;
    expect(await page(scanning, null, 100)).toMatchObject({ items: [], next: expect.any(String) });
    expect(readStore.readDocuments).toBe(7);
    expect(numbersOf(await allPages(scanning, 100))).toEqual([]);
  });
});
