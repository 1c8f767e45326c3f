import { CARD_NUMBER_MIN_LENGTH, countDigits } from '@app/cards';

const SHOWN_KEY_LENGTH = 40;

/** A field's path, such as `order.items[0].sku`: strings are object keys, numbers are array indexes. */
export function fieldPath(keys: readonly (string | number)[]): string {
  return keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : memberPath(key, index === 0))).join('');
}

/** Characters that JSON does not escape but that must not reach a terminal. */
const UNSEEN = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Shows a client's own key only up to a readable length, and never if the shown part could contain a card number's
 * digits.
 */
function memberPath(name: string, isFirst: boolean): string {
  const shown = [...name.slice(0, 2 * SHOWN_KEY_LENGTH)].slice(0, SHOWN_KEY_LENGTH).join('');
  if (countDigits(shown) >= CARD_NUMBER_MIN_LENGTH) return '["[digits]"]';
  if (shown === name && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)) return isFirst ? name : `.${name}`;
  return `[${JSON.stringify(shown === name ? name : `${shown}…`).replaceAll(UNSEEN, escaped)}]`;
}
