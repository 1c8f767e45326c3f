import type { ChallengeDecision } from '../challenges';

/** Much longer than any form of these pages. */
export const FORM_MAX_BYTES = 1024;

/**
 * Parses an `application/x-www-form-urlencoded` body. The last value of a repeated field counts; a body that is too
 * long is not from our pages and counts as an empty form.
 */
export function parseForm(body: string): Readonly<Record<string, string>> {
  return body.length > FORM_MAX_BYTES ? {} : Object.fromEntries(new URLSearchParams(body));
}

/** The form's `decision`, from a raw or an already parsed body; null if it has none. */
export function readDecision(body: unknown): ChallengeDecision | null {
  const form: unknown =
    body instanceof Uint8Array
      ? parseForm(Buffer.from(body).toString('utf8'))
      : typeof body === 'string'
        ? parseForm(body)
        : body;
  if (typeof form !== 'object' || form === null || !Object.hasOwn(form, 'decision')) return null;
  const { decision } = form as { decision: unknown };
  return decision === 'approve' || decision === 'decline' ? decision : null;
}
