import { containsCardNumber } from '@app/cards';
import { maskedDigits } from '@app/platform/telemetry';

/** Enough to see what was meant. */
const MAX_LOGGED_LENGTH = 200;
/** What may be a token: they are random, and none of ours is shorter. Words have neither digits nor capitals. */
const LONG_RUN = /[\w%+=~-]{20,}/g;
const WORDS = /^[a-z_-]+$/;
/** `pay_…` and its like. Tokens have small letters, too. */
const IDENTIFIER = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}(?:[0-9A-HJKMNP-TV-Z]{16})?$/;

/**
 * A path that there is none of, as it was asked for, for the log: without its query, without what may be a card number or a token,
 * and in visible characters alone.
 */
export function askedPath(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  // Another form of a target may name a user.
  if (!path.startsWith('/')) return 'unknown';
  if (containsCardNumber(path)) return 'withheld';
  const masked = maskedDigits(path).replace(LONG_RUN, (run) =>
    WORDS.test(run) || IDENTIFIER.test(run) ? run : '[token]',
  );
  const shown = masked.length > MAX_LOGGED_LENGTH ? `${masked.slice(0, MAX_LOGGED_LENGTH)}[cut]` : masked;
  return shown.replace(/[^\x21-\x7e]/g, escaped);
}

/** Node gives each byte of a target as one character. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
