import { containsCardNumber } from '@app/cards';
import type { FieldProblem } from '@app/platform/outcome';

/** The refusal of texts that contain a card number. */
export interface CardDataRefused {
  readonly kind: 'refused';
  readonly code: 'VALIDATION_FAILED';
  readonly problems: readonly FieldProblem[];
}

/**
 * Names each field that contains a card number, or is null if none does: these texts are stored permanently and appear
 * in logs and lists.
 */
export function cardDataRefusal(texts: Readonly<Record<string, string | null | undefined>>): CardDataRefused | null {
  const message = 'This holds a card number, which is kept nowhere but with the payment gateway.';
  const problems = Object.entries(texts)
    .filter(([, text]) => typeof text === 'string' && containsCardNumber(text))
    .map(([field]): FieldProblem => ({ field, code: 'CARD_DATA_NOT_ALLOWED', message }));
  return problems.length === 0 ? null : { kind: 'refused', code: 'VALIDATION_FAILED', problems };
}
