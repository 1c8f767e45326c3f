import type { ChallengeDecision } from '../challenges';

/** No form of these pages is nearly as long. */
export const FORM_MAX_BYTES = 1024;

/**
 * Reads an `application/x-www-form-urlencoded` body. Of a repeated field the last value counts; an overlong body is an empty
 * form, since it can't be one of ours.
 */
export function parseForm(body: string): Readonly<Record<string, string>> {
  return body.length > FORM_MAX_BYTES ? {} : Object.fromEntries(new URLSearchParams(body));
}

/** The form's `decision`, from a body that is still text, or that the HTTP server has parsed already; null when it has none. */
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
