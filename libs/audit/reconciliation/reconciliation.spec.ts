import { csvRows, ReportFormatError } from './csv-rows';
import { Reconciliation } from './reconciliation';
import { type Movement, readMapping, reportedMovements, type ReportMapping, SANDBOX_MAPPING } from './report';

async function* pieces(text: string, length = 3): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += length) yield text.slice(start, start + length);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const movement = (reference: string, amountMinor: bigint, change: Partial<Movement> = {}): Movement => {
  return { reference, currency: 'EUR', amountMinor, feeMinor: null, ...change };
};

describe('a CSV text', () => {
  it.each([1, 2, 3, 100])(
    'has quoted cells, empty ones and both line ends, in pieces of %s characters',
    async (length) => {
      const text = '\uFEFFa,"b ""c"", d",\r\n"two\nlines",,x\n';
      expect(await all(csvRows(pieces(text, length), ','))).toEqual([
        ['a', 'b "c", d', ''],
        ['two\nlines', '', 'x'],
      ]);
    },
  );

  it('is refused where it is cut off within a cell, or a row is endless', async () => {
    await expect(all(csvRows(pieces('a,"b'), ','))).rejects.toThrow('row 1: a quote is not closed');
    await expect(all(csvRows(pieces('a'.repeat(70_000), 1_000), ','))).rejects.toThrow('row 1: it is too long');
  });
});

describe('a report', () => {
  const mapping: ReportMapping = {
    ...{ reference: 'Ref', currency: 'Cur', amount: 'Gross', fee: 'Fee', type: 'Kind' },
    ...{ takenTypes: ['refund', 'chargeback'], delimiter: ';' },
  };

  it('is read by the names of its columns, in whatever order they are', async () => {
    const text =
      'Kind;Fee;Gross;Ref;Cur\nsale;0.30;10.00;txn_1;EUR\nrefund;;4;txn_2;JPY\n\nrefund;0;-1.500;txn_3;KWD\n';
    expect(await all(reportedMovements(pieces(text), mapping))).toEqual([
      movement('txn_1', 1_000n, { feeMinor: 30n }),
      movement('txn_2', -4n, { currency: 'JPY', feeMinor: 0n }),
      movement('txn_3', -1_500n, { currency: 'KWD', feeMinor: 0n }),
    ]);
  });

  it.each([
    ['', 'row 1: the report is empty'],
    ['reference,currency\n', "row 1: there is no column 'amount'"],
    ['reference,currency,amount\ntxn_1,EUR,10.001\n', "row 2: '10.001' is no amount in EUR"],
    ['reference,currency,amount\ntxn_1,EUR,1.00\ntxn_2,EURO,1\n', "row 3: 'EURO' is no currency"],
    ['reference,currency,amount\n,EUR,1.00\n', 'row 2: it has no reference'],
    ['reference,currency,amount\ntxn_1,EUR\n', "row 2: '' is no amount in EUR"],
  ])('is refused where it is not what the mapping says: %j', async (text, why) => {
    const read = all(reportedMovements(pieces(text), SANDBOX_MAPPING));
    await expect(read).rejects.toThrow(ReportFormatError);
    await expect(read).rejects.toThrow(why);
  });

  it.each([
    ['{', 'it is not JSON'],
    ['[]', 'it is not an object'],
    ['{"reference":"a","currency":"b"}', "'amount' is missing"],
    ['{"reference":"a","currency":"b","amount":1}', "'amount' is no text"],
    ['{"reference":"a","currency":"b","amount":"c","sum":"d"}', "there is no setting 'sum'"],
    ['{"reference":"a","currency":"b","amount":"c","type":"d"}', "'type' and 'takenTypes' go together"],
    ['{"reference":"a","currency":"b","amount":"c","delimiter":";;"}', "'delimiter' is not one character"],
  ])('has a mapping, which is refused where it is wrong: %s', (json, why) => {
    expect(readMapping(json)).toBe(why);
  });

  it('has a mapping that names its columns', () => {
    expect(readMapping(JSON.stringify(mapping))).toEqual(mapping);
  });
});

describe('a reconciliation', () => {
  it('finds what is missing here or there, and what differs, and sums up each currency', () => {
    const reconciliation = new Reconciliation();
    const both = [movement('same', 100n, { feeMinor: 3n }), movement('yen', -7n, { currency: 'JPY' })];
    for (const one of both) {
      reconciliation.here(one);
      reconciliation.there(one);
    }
    reconciliation.here(movement('only-here', 5n, { feeMinor: 1n }));
    reconciliation.there(movement('only-there', 9n));
    reconciliation.here(movement('amount', 10n));
    reconciliation.there(movement('amount', 11n));
    reconciliation.here(movement('fee', 10n, { feeMinor: 1n }));
    reconciliation.there(movement('fee', 10n, { feeMinor: 2n }));
    // A fee that the report does not tell is not compared.
    reconciliation.here(movement('no-fee-told', 10n, { feeMinor: 1n }));
    reconciliation.there(movement('no-fee-told', 10n));
    // A dispute that is won comes back under the same reference.
    for (const amountMinor of [-50n, 50n]) reconciliation.here(movement('back', amountMinor));
    reconciliation.there(movement('back', 0n));
    const found = [...reconciliation.findings()].map(({ kind, reference }) => `${reference} ${kind}`);
    expect(found.sort()).toEqual([
      'amount amount-differs',
      'fee fee-differs',
      'only-here missing-there',
      'only-there missing-here',
    ]);
    expect(reconciliation.totals()).toEqual([
      { currency: 'EUR', matched: 3n, differing: 4n, hereMinor: 135n, thereMinor: 140n },
      { currency: 'JPY', matched: 1n, differing: 0n, hereMinor: -7n, thereMinor: -7n },
    ]);
    reconciliation.close();
  });
});
