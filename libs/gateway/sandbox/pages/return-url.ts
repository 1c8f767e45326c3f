import type { ChallengeViewState } from '../challenges';

/**
 * What the page tells the merchant's site of the customer's step. It isn't the payment's status, which follows through the
 * API and the webhooks: the address bar is in the customer's hands, so a shop must never ship goods on these words.
 */
export type ReturnStatus = 'AUTHENTICATED' | 'DECLINED' | 'EXPIRED' | 'CANCELLED';

export type FinishedState = Exclude<ChallengeViewState, 'pending'>;

const STATUS_OF: Readonly<Record<FinishedState, ReturnStatus>> = {
  succeeded: 'AUTHENTICATED',
  failed: 'DECLINED',
  expired: 'EXPIRED',
  cancelled: 'CANCELLED',
};

/**
 * The merchant's `returnUrl` with `paymentId` and `status` after whatever its query holds, its fragment kept; null when there
 * is none, or one that is no http(s) URL.
 */
export function returnLocation(returnUrl: string | null, paymentId: string, state: FinishedState): string | null {
  const url = parseReturnUrl(returnUrl);
  if (url === null) return null;
  // Not URLSearchParams: it would write the merchant's own query anew.
  const added = `paymentId=${encodeURIComponent(paymentId)}&status=${STATUS_OF[state]}`;
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}

/**
 * Where a form's answer may redirect to, as a source of a Content-Security-Policy; null when there is nowhere to go. The
 * scheme and not the origin, since browsers hold every further redirect to it as well: a shop that sends its customer on
 * from `shop.example` to `www.shop.example` would strand them on our page. `http:` covers https too.
 */
export function returnSource(returnUrl: string | null): string | null {
  return parseReturnUrl(returnUrl)?.protocol ?? null;
}

function parseReturnUrl(returnUrl: string | null): URL | null {
  if (returnUrl === null || !URL.canParse(returnUrl)) return null;
  const url = new URL(returnUrl);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
