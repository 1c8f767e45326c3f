/** How a text may be meant: URLs and form data carry it percent-encoded, now and then more than once. */

/** What an encoder made of another encoder's work is undone twice more; nobody reads what lies deeper. */
const MAX_DECODINGS = 3;
const ENCODED = /(?:%[0-9A-Fa-f]{2})+/g;

/** The text as it stands, then percent-decoded once, twice and three times, as long as that changes it. Linear time. */
export function writtenForms(text: string): readonly string[] {
  const forms = [text];
  let form = text;
  while (forms.length <= MAX_DECODINGS && form.includes('%')) {
    const decoded = form.replaceAll(ENCODED, decode);
    if (decoded === form) break;
    forms.push(decoded);
    form = decoded;
  }
  return forms;
}

function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // No UTF-8: the bytes that are digits or separators are read one by one all the same.
    return encoded.replaceAll(/%(..)/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}
