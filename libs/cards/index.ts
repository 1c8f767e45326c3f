export {
  CARD_NUMBER_MAX_LENGTH,
  CARD_NUMBER_MIN_LENGTH,
  CARD_NUMBER_PATTERN,
  cardExpired,
  isCardNumber,
  luhnValid,
  maskCardNumber,
} from './card';
export { containsCardNumber, containsExactCardNumber, containsMaskedCardNumber } from './card-data-detection';
export { countDigits } from './digits';
export { WrittenText } from './written-forms';
