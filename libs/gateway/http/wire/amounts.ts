import { type Currency, isCurrency } from '@app/money';

import type { GatewayAmount } from '../../port';
import type { MessageReader } from './message-reader';

/**
 * Up to 18 digits, which fit into a signed 64-bit integer. A negative amount is well-formed; the gateway declines it.
 */
export const MINOR_UNITS = { maxLength: 19, pattern: /^(0|-?[1-9][0-9]{0,17})$/ };
const CURRENCY = { maxLength: 3, pattern: /^[A-Z]{3}$/ };

/** Minor units as a decimal string, because JSON numbers lose digits of large amounts. */
export function amountMessage({ amountMinor, currency }: GatewayAmount) {
  return { amountMinor: String(amountMinor), currency };
}

/** @throws MalformedMessageError */
export function readAmount(message: MessageReader): GatewayAmount {
  const amountMinor = BigInt(message.text('amountMinor', MINOR_UNITS));
  const currency = message.text('currency', CURRENCY);
  if (!isCurrency(currency)) throw message.wrong('currency', 'is no currency of ISO 4217 with a minor unit');
  return { amountMinor, currency: currency satisfies Currency };
}
