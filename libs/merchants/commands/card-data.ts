import { containsCardNumber } from '@app/cards';
import type { FieldProblem } from '@app/platform/outcome';

/** Of texts that are stored for ever, and stand in logs and lists: each field that holds a card number. */
export function cardDataProblems(texts: Readonly<Record<string, string | null | undefined>>): readonly FieldProblem[] {
  const message = 'This holds a card number, which is kept nowhere but with the payment gateway.';
  return Object.entries(texts)
    .filter(([, text]) => typeof text === 'string' && containsCardNumber(text))
    .map(([field]) => ({ field, code: 'CARD_DATA_NOT_ALLOWED', message }));
}

/** What is refused so. */
export interface CardDataRefused {
  readonly kind: 'refused';
  readonly code: 'VALIDATION_FAILED';
  readonly problems: readonly FieldProblem[];
}
