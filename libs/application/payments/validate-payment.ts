import {
  cardExpired,
  containsCardNumber,
  containsExactCardNumber,
  containsMaskedCardNumber,
  luhnValid,
} from '@app/domain/card';
import { type Currency, findCurrency, isCurrency, parseAmount } from '@app/domain/money';
import type { FieldProblem, FieldProblemCode } from '../outcome';
import type { NotifyUrlPolicy } from './notify-url-policy';
import type {
  AmountRequest,
  CancelPaymentRequest,
  CapturePaymentRequest,
  CreatePaymentRequest,
  CreateRefundRequest,
} from './requests';

export interface ValidAmount {
  readonly amountMinor: bigint;
  readonly currency: Currency;
}

export type Validated = { readonly amount: ValidAmount } | { readonly problems: readonly FieldProblem[] };

/**
 * Judges what a shape can't tell: amounts against their currency, the card, card data where it doesn't belong, URLs. The key is
 * judged too: its plain hash is stored, from which a card number could be had by trying.
 */
export function validatePayment(
  request: CreatePaymentRequest,
  idempotencyKey: string,
  nowMs: number,
  urls: NotifyUrlPolicy,
): Validated {
  const amount = validateAmount(request.amount);
  const { card } = request.payer.paymentMethod;
  return withAmount(amount, [
    ...('problems' in amount ? [] : itemProblems(request, amount.currency)),
    ...cardProblems(card, nowMs),
    ...urlProblems(request.notifyUrl, urls),
    ...cardDataProblems({ ...request, [IDEMPOTENCY_KEY]: idempotencyKey }, paymentTexts(request), (text) =>
      containsExactCardNumber(text, card.number),
    ),
  ]);
}

/** The same for a refund, which holds no card of its own: all that is known of the payment's is its mask. */
export function validateRefund(
  request: CreateRefundRequest,
  idempotencyKey: string,
  maskedCardNumber: string,
  urls: NotifyUrlPolicy,
): Validated {
  const texts = { reason: request.reason };
  return withAmount(validateAmount(request.amount), [
    ...urlProblems(request.notifyUrl, urls),
    ...cardDataProblems({ ...request, [IDEMPOTENCY_KEY]: idempotencyKey }, texts, (text) =>
      containsMaskedCardNumber(text, maskedCardNumber),
    ),
  ]);
}

/** A capture's amount, or null where all that was authorized is to be taken. */
export function validateCapture(
  request: CapturePaymentRequest,
  idempotencyKey: string,
  maskedCardNumber: string,
): { readonly amount: ValidAmount | null } | { readonly problems: readonly FieldProblem[] } {
  const misplaced = cardDataProblems({ [IDEMPOTENCY_KEY]: idempotencyKey }, {}, (text) =>
    containsMaskedCardNumber(text, maskedCardNumber),
  );
  if (request.amount === undefined) return misplaced.length > 0 ? { problems: misplaced } : { amount: null };
  return withAmount(validateAmount(request.amount), misplaced);
}

/** What is wrong with a cancellation; nothing when the list is empty. */
export function cancellationProblems(
  request: CancelPaymentRequest,
  idempotencyKey: string,
  maskedCardNumber: string,
): readonly FieldProblem[] {
  const { reason } = request;
  return cardDataProblems({ ...request, [IDEMPOTENCY_KEY]: idempotencyKey }, { reason }, (text) =>
    containsMaskedCardNumber(text, maskedCardNumber),
  );
}

function withAmount(
  amount: ValidAmount | { readonly problems: readonly FieldProblem[] },
  others: readonly FieldProblem[],
): Validated {
  if ('problems' in amount) return { problems: [...amount.problems, ...others] };
  return others.length > 0 ? { problems: others } : { amount };
}

function problem(field: string, code: FieldProblemCode, message: string): FieldProblem {
  return { field, code, message };
}

function validateAmount(amount: AmountRequest): ValidAmount | { readonly problems: readonly FieldProblem[] } {
  const { currency, value } = amount;
  if (!isCurrency(currency)) {
    const message = 'Use the three upper-case letters of a current ISO 4217 currency.';
    return { problems: [problem('amount.currency', 'CURRENCY_NOT_SUPPORTED', message)] };
  }
  const parsed = parseAmount(value, currency);
  if (parsed.ok) return { amountMinor: parsed.amountMinor, currency };
  const message = `Give an amount above zero; ${decimalsOf(currency)}.`;
  return { problems: [problem('amount.value', 'INVALID_AMOUNT', message)] };
}

function decimalsOf(currency: Currency): string {
  const exponent = findCurrency(currency)?.exponent ?? 0;
  return exponent === 0 ? `${currency} has no decimals` : `${currency} has ${exponent} decimals`;
}

function itemProblems(request: CreatePaymentRequest, currency: Currency): readonly FieldProblem[] {
  return (request.order.items ?? []).flatMap((item, index) => {
    if (item.unitPrice === undefined || parseAmount(item.unitPrice, currency, { allowZero: true }).ok) return [];
    const message = `Give a price from zero up; ${decimalsOf(currency)}.`;
    return [problem(`order.items[${index}].unitPrice`, 'INVALID_AMOUNT', message)];
  });
}

function cardProblems(
  card: CreatePaymentRequest['payer']['paymentMethod']['card'],
  nowMs: number,
): readonly FieldProblem[] {
  const path = 'payer.paymentMethod.card';
  const problems: FieldProblem[] = [];
  if (!luhnValid(card.number)) {
    problems.push(problem(`${path}.number`, 'INVALID_CARD_NUMBER', 'The check digit of the card number is wrong.'));
  }
  if (cardExpired(card.expiryMonth, card.expiryYear, nowMs)) {
    problems.push(problem(`${path}.expiryYear`, 'CARD_EXPIRED', 'The card has expired.'));
  }
  return problems;
}

function urlProblems(notifyUrl: string | undefined, urls: NotifyUrlPolicy): readonly FieldProblem[] {
  const refusal = notifyUrl === undefined ? null : urls.refusalOf(notifyUrl);
  return refusal === null ? [] : [problem('notifyUrl', 'URL_NOT_ALLOWED', refusal)];
}

/** The free texts in which people paste card numbers, by field. */
function paymentTexts(request: CreatePaymentRequest): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = { 'order.description': request.order.description };
  for (const [index, item] of (request.order.items ?? []).entries()) {
    texts[`order.items[${index}].name`] = item.name;
    texts[`order.items[${index}].sku`] = item.sku;
  }
  for (const [key, value] of Object.entries(request.merchantMetadata ?? {})) {
    texts[`merchantMetadata.${key}`] = `${key}\n${value}`;
  }
  return texts;
}

const CARD_NUMBER_FIELD = 'payer.paymentMethod.card.number';
const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * Free texts may hold no card number at all. References and URLs may hold long numbers, of which every twenty-sixth would
 * pass for a card's, so that in them only the payment's own is looked for.
 */
function cardDataProblems(
  request: object,
  freeTexts: Readonly<Record<string, string | undefined>>,
  holdsOwnNumber: (text: string) => boolean,
): readonly FieldProblem[] {
  const fields = new Set<string>();
  for (const [field, text] of Object.entries(freeTexts)) {
    if (text !== undefined && containsCardNumber(text)) fields.add(field);
  }
  eachString(request, '', (field, text) => {
    if (field !== CARD_NUMBER_FIELD && holdsOwnNumber(text)) fields.add(field);
  });
  const message = 'Card numbers belong in payer.paymentMethod.card.number alone.';
  // A key that is itself a card number must not come back in the answer or stand in a log.
  const telling = (field: string) => containsCardNumber(field) || holdsOwnNumber(field);
  const safe = (field: string) => (telling(field) ? 'merchantMetadata' : field);
  return [...new Set([...fields].map(safe))].map((field) => problem(field, 'CARD_DATA_NOT_ALLOWED', message));
}

/** Every string in the request with its path; a metadata key counts as text too. */
function eachString(value: unknown, path: string, visit: (field: string, text: string) => void): void {
  if (typeof value === 'string') return visit(path, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (path === 'merchantMetadata') visit(field, key);
    eachString(member, field, visit);
  }
}
