import {
  cardExpired,
  containsCardNumber,
  containsExactCardNumber,
  containsMaskedCardNumber,
  expiryTooFar,
  luhnValid,
  MAX_EXPIRY_YEARS_AHEAD,
  securityCodeLength,
  WrittenText,
} from '@app/cards';
import { type Currency, findCurrency, isCurrency, parseAmount } from '@app/money';
import type { FieldProblem, FieldProblemCode } from '@app/platform/outcome';
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

/** Checks what a schema can't: amounts against their currency, the card, card data in other fields, URLs. */
export function validatePayment(request: CreatePaymentRequest, nowMs: number, urls: NotifyUrlPolicy): Validated {
  const amount = validateAmount(request.amount);
  const { card } = request.payer.paymentMethod;
  return withAmount(amount, [
    ...('problems' in amount ? [] : itemProblems(request, amount.currency)),
    ...cardProblems(card, nowMs),
    ...urlProblems(request.notifyUrl, urls),
    ...cardDataProblems(request, (text) => containsExactCardNumber(text, card.number)),
  ]);
}

/** The same for a refund. Its request has no card, so only the payment's masked card number is known. */
export function validateRefund(
  request: CreateRefundRequest,
  maskedCardNumber: string,
  urls: NotifyUrlPolicy,
): Validated {
  return withAmount(validateAmount(request.amount), [
    ...urlProblems(request.notifyUrl, urls),
    ...cardDataProblems(request, (text) => containsMaskedCardNumber(text, maskedCardNumber)),
  ]);
}

/** The amount to capture; null captures the full authorized amount. */
export function validateCapture(
  request: CapturePaymentRequest,
): { readonly amount: ValidAmount | null } | { readonly problems: readonly FieldProblem[] } {
  return request.amount === undefined ? { amount: null } : withAmount(validateAmount(request.amount), []);
}

/** The problems of a cancellation request; empty if there are none. */
export function cancellationProblems(request: CancelPaymentRequest, maskedCardNumber: string): readonly FieldProblem[] {
  return cardDataProblems(request, (text) => containsMaskedCardNumber(text, maskedCardNumber));
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
  if (/^0+$/.test(card.number)) {
    problems.push(problem(`${path}.number`, 'INVALID_CARD_NUMBER', 'No card has zeros alone for its number.'));
  } else if (!luhnValid(card.number)) {
    problems.push(problem(`${path}.number`, 'INVALID_CARD_NUMBER', 'The check digit of the card number is wrong.'));
  }
  if (cardExpired(card.expiryMonth, card.expiryYear, nowMs)) {
    problems.push(problem(`${path}.expiryYear`, 'CARD_EXPIRED', 'The card has expired.'));
  } else if (expiryTooFar(card.expiryYear, nowMs)) {
    const message = `A card expires at most ${MAX_EXPIRY_YEARS_AHEAD} years ahead.`;
    problems.push(problem(`${path}.expiryYear`, 'INVALID_FORMAT', message));
  }
  const codeLength = securityCodeLength(card.number);
  if (card.cvv.length !== codeLength) {
    const message = `The security code of this card has ${codeLength} digits.`;
    problems.push(problem(`${path}.cvv`, 'INVALID_FORMAT', message));
  }
  return problems;
}

function urlProblems(notifyUrl: string | undefined, urls: NotifyUrlPolicy): readonly FieldProblem[] {
  const refusal = notifyUrl === undefined ? null : urls.refusalOf(notifyUrl);
  return refusal === null ? [] : [problem('notifyUrl', 'URL_NOT_ALLOWED', refusal)];
}

const CARD_NUMBER_FIELD = 'payer.paymentMethod.card.number';
const ARTICLE_FIELD = /^order\.items\[[0-9]+\]\.sku$/;
const METADATA_FIELD = 'merchantMetadata';

/**
 * Every text in the request except the card number itself is stored or passed on, so none may contain a card number.
 */
function cardDataProblems(request: object, holdsOwnNumber: (text: WrittenText) => boolean): readonly FieldProblem[] {
  const holdsCardNumber = (text: string, isForArticles = false) => {
    const written = new WrittenText(text);
    return containsCardNumber(written, { isForArticles }) || holdsOwnNumber(written);
  };
  const fields = new Set<string>();
  eachText(request, '', (field, text) => {
    if (field === CARD_NUMBER_FIELD || !holdsCardNumber(text, ARTICLE_FIELD.test(field))) return;
    // A key that is itself a card number must not appear in the response or in a log.
    const isTelling = field.startsWith(`${METADATA_FIELD}.`) && holdsCardNumber(field);
    fields.add(isTelling ? METADATA_FIELD : field);
  });
  const message = 'Card numbers belong in payer.paymentMethod.card.number alone.';
  return [...fields].map((field) => problem(field, 'CARD_DATA_NOT_ALLOWED', message));
}

/** Visits every text in the request with its path. A metadata key is checked together with its value. */
function eachText(value: unknown, path: string, visit: (field: string, text: string) => void): void {
  if (typeof value === 'string') return visit(path, value);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const field = Array.isArray(value) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    if (path === METADATA_FIELD) visit(field, `${key}\n${String(member)}`);
    else eachText(member, field, visit);
  }
}
