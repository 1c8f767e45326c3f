import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStore } from '@app/event-sourcing';
import { beancountBalances, hledgerBalances } from '@app/audit/testing/accounting-tools';
import { allPaymentEvents, answeredBooks, beancountName, expectedBooks } from '@app/audit/testing/expected-books';
import { writeYear } from '@app/audit/testing/generated-year';
import { MemoryEventStore } from '@app/stores/testing/memory-event-store';
import { EXPORT_FORMATS, exportBooks, type ExportFormatName } from './export-books';
import type { JournalSelection } from './journal-records';

/** The long form is of `npm run verify:long`. */
const PAYMENTS = process.env['TEST_LONG'] === 'true' ? 100_000 : 5_000;

let directory = '';
let eventStore: EventStore;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'books-'));
  eventStore = new MemoryEventStore();
  await writeYear(eventStore, PAYMENTS);
}, 600_000);

afterAll(async () => {
  await eventStore.close();
  rmSync(directory, { recursive: true });
});

async function exported(format: ExportFormatName, selection: JournalSelection = {}): Promise<string> {
  const onDamage = jest.fn();
  const signal = new AbortController().signal;
  const pieces: string[] = [];
  for await (const piece of exportBooks(eventStore, EXPORT_FORMATS[format](), selection, { signal, onDamage })) {
    pieces.push(piece);
  }
  expect(onDamage).not.toHaveBeenCalled();
  const file = join(directory, `${Object.values(selection).join()}.${format}`);
  writeFileSync(file, pieces.join(''));
  return file;
}

describe('a year of payments in currencies of 0, 2, 3 and 4 decimals', () => {
  it('comes to the same balances in hledger, to the last minor unit', async () => {
    const events = await allPaymentEvents(eventStore);
    const expected = expectedBooks(events);
    expect(new Set([...expected.keys()].map((account) => account.split(':')[0]))).toEqual(
      new Set(['assets', 'liabilities', 'revenues']),
    );
    expect(answeredBooks(events)).toEqual(expected);
    expect(hledgerBalances(await exported('hledger'))).toEqual(expected);
  });

  it('comes to the same balances in Beancount', async () => {
    const expected = expectedBooks(await allPaymentEvents(eventStore));
    const named = new Map([...expected].map(([account, sum]) => [beancountName(account), sum]));
    expect(beancountBalances(await exported('beancount'))).toEqual(named);
  });

  it('comes to the same balances in periods: what one closes with, the next one opens with', async () => {
    const events = await allPaymentEvents(eventStore);
    const half = { from: '2026-07-01T00:00:00.000Z' };
    expect(hledgerBalances(await exported('hledger', half))).toEqual(expectedBooks(events));
    const closing = hledgerBalances(await exported('hledger', { to: half.from }));
    expect(hledgerBalances(await exported('hledger', half), 'desc:opening balances')).toEqual(closing);
  });

  it('comes to the same balances for one merchant alone', async () => {
    const events = await allPaymentEvents(eventStore);
    const own = [...expectedBooks(events)].filter(([account]) => account.split(':')[2] === 'shop_1');
    const file = await exported('hledger', { merchantId: 'shop_1' });
    expect(hledgerBalances(file)).toEqual(new Map(own));
  });
});
