import { containsCardNumber } from '@app/cards';
import { maskedDigits } from '@app/platform/telemetry';

/** Long enough to show which path was meant. */
const MAX_LOGGED_LENGTH = 200;
/** Possibly a token: ours are random and at least this long. A run without digits or capitals is just words. */
const LONG_RUN = /[\w%+=~-]{20,}/g;
const WORDS = /^[a-z_-]+$/;
/** Identifiers such as `pay_…`. Tokens also contain lower-case letters. */
const IDENTIFIER = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}(?:[0-9A-HJKMNP-TV-Z]{16})?$/;

/**
 * The path of a request that matched no route, for the log: without its query, with possible tokens and digits masked,
 * and in visible ASCII only.
 */
export function askedPath(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  // Any other form of a target may contain a user name.
  if (!path.startsWith('/')) return 'unknown';
  if (containsCardNumber(path)) return 'withheld';
  const masked = maskedDigits(path).replace(LONG_RUN, (run) =>
    WORDS.test(run) || IDENTIFIER.test(run) ? run : '[token]',
  );
  const shown = masked.length > MAX_LOGGED_LENGTH ? `${masked.slice(0, MAX_LOGGED_LENGTH)}[cut]` : masked;
  return shown.replace(/[^\x21-\x7e]/g, escaped);
}

/** Node represents each byte of a target as one character. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
