export {
  CARD_NUMBER_MAX_LENGTH,
  CARD_NUMBER_MIN_LENGTH,
  CARD_NUMBER_PATTERN,
  cardExpired,
  expiryTooFar,
  isCardNumber,
  luhnValid,
  maskCardNumber,
  MAX_EXPIRY_YEARS_AHEAD,
  securityCodeLength,
} from './card';
export { containsCardNumber, containsExactCardNumber, containsMaskedCardNumber } from './card-data-detection';
export { countDigits } from './digits';
export { WrittenText } from './written-forms';
