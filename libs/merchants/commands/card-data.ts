import { containsCardNumber } from '@app/cards';
import type { FieldProblem } from '@app/platform/outcome';

/**
 * A problem for each field that contains a card number: these texts are stored permanently and appear in logs and
 * lists.
 */
export function cardDataProblems(texts: Readonly<Record<string, string | null | undefined>>): readonly FieldProblem[] {
  const message = 'This holds a card number, which is kept nowhere but with the payment gateway.';
  return Object.entries(texts)
    .filter(([, text]) => typeof text === 'string' && containsCardNumber(text))
    .map(([field]) => ({ field, code: 'CARD_DATA_NOT_ALLOWED', message }));
}

/** The refusal for such fields. */
export interface CardDataRefused {
  readonly kind: 'refused';
  readonly code: 'VALIDATION_FAILED';
  readonly problems: readonly FieldProblem[];
}
