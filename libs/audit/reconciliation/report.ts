import { type Currency, isCurrency, parseAmount } from '@app/money';
import { csvRows, ReportFormatError } from './csv-rows';

/** Names the columns of a processor's report. */
export interface ReportMapping {
  /** The processor's reference: our transaction id. */
  readonly reference: string;
  readonly currency: string;
  /** A decimal number; what is taken from us is negative, unless `type` says it. */
  readonly amount: string;
  readonly fee?: string;
  /** The column that tells what a row is, and its values that are taken from us. */
  readonly type?: string;
  readonly takenTypes?: readonly string[];
  /** A comma if absent. */
  readonly delimiter?: string;
}

/** Of the sandbox's report. */
export const SANDBOX_MAPPING: ReportMapping = { reference: 'reference', currency: 'currency', amount: 'amount' };

/** One movement between the processor and us, as one of the two sees it. */
export interface Movement {
  readonly reference: string;
  readonly currency: string;
  /** Positive: the processor owes it to us. */
  readonly amountMinor: bigint;
  /** Null if it is not told. */
  readonly feeMinor: bigint | null;
}

const TEXTS = ['reference', 'currency', 'amount', 'fee', 'type', 'delimiter'];
const REQUIRED = ['reference', 'currency', 'amount'];

/** @returns the mapping, or what is wrong with it. */
export function readMapping(json: string): ReportMapping | string {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object';
  const entries = Object.entries(value);
  const unknown = entries.find(([name]) => ![...TEXTS, 'takenTypes'].includes(name));
  if (unknown !== undefined) return `there is no setting '${unknown[0]}'`;
  const missing = REQUIRED.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `'${missing}' is missing`;
  const noText = entries.find(([name, one]) => TEXTS.includes(name) && (typeof one !== 'string' || one === ''));
  if (noText !== undefined) return `'${noText[0]}' is no text`;
  const { takenTypes, delimiter = ',', type } = value as ReportMapping;
  if (delimiter.length !== 1) return `'delimiter' is not one character`;
  if (takenTypes !== undefined && !(Array.isArray(takenTypes) && takenTypes.every((one) => typeof one === 'string'))) {
    return `'takenTypes' is no list of texts`;
  }
  return (takenTypes === undefined) === (type === undefined)
    ? (value as ReportMapping)
    : `'type' and 'takenTypes' go together`;
}

/** The movements in a report. @throws ReportFormatError */
export async function* reportedMovements(
  text: AsyncIterable<string>,
  mapping: ReportMapping,
): AsyncGenerator<Movement, void, undefined> {
  let columns: Columns | null = null;
  let number = 0;
  for await (const row of csvRows(text, mapping.delimiter ?? ',')) {
    number += 1;
    if (columns === null) columns = columnsOf(row, mapping);
    else if (row.length > 1 || row[0] !== '') yield movementIn(row, number, columns, mapping);
  }
  if (columns === null) throw new ReportFormatError(1, 'the report is empty');
}

type Columns = Readonly<Record<'reference' | 'currency' | 'amount' | 'fee' | 'type', number>>;

function columnsOf(header: readonly string[], mapping: ReportMapping): Columns {
  const placeOf = (name: string | undefined): number => {
    const place = name === undefined ? -1 : header.indexOf(name);
    if (name !== undefined && place === -1) throw new ReportFormatError(1, `there is no column '${name}'`);
    return place;
  };
  const { reference, currency, amount, fee, type } = mapping;
  return {
    reference: placeOf(reference),
    currency: placeOf(currency),
    amount: placeOf(amount),
    fee: placeOf(fee),
    type: placeOf(type),
  };
}

function movementIn(row: readonly string[], number: number, columns: Columns, mapping: ReportMapping): Movement {
  const [reference, currency, amount, fee] = [columns.reference, columns.currency, columns.amount, columns.fee].map(
    (place) => row[place],
  );
  if (!reference) throw new ReportFormatError(number, 'it has no reference');
  if (!isCurrency(currency)) throw new ReportFormatError(number, `'${currency ?? ''}' is no currency`);
  const isTaken = mapping.takenTypes?.includes(row[columns.type] ?? '') === true;
  const amountMinor = minorUnits(amount ?? '', currency, number);
  return {
    reference,
    currency,
    amountMinor: isTaken && amountMinor > 0n ? -amountMinor : amountMinor,
    feeMinor: columns.fee === -1 ? null : minorUnits(fee || '0', currency, number),
  };
}

function minorUnits(text: string, currency: Currency, row: number): bigint {
  const isNegative = text.startsWith('-');
  const parsed = parseAmount(isNegative ? text.slice(1) : text, currency, { allowZero: true });
  if (!parsed.ok) throw new ReportFormatError(row, `'${text}' is no amount in ${currency}`);
  return isNegative ? -parsed.amountMinor : parsed.amountMinor;
}
