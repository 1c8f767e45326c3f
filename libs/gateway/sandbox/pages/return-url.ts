import type { ChallengeViewState } from '../challenges';

/**
 * What the merchant's site learns about the customer's step. It is not the payment's status, which the API and the
 * webhooks report: customers can edit the address bar, so a shop must never ship goods because of it.
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
 * The merchant's `returnUrl` with `paymentId` and `status` appended to its query and its fragment kept; null if there
 * is none or it is not an http(s) URL.
 */
export function returnLocation(returnUrl: string | null, paymentId: string, state: FinishedState): string | null {
  const url = parseReturnUrl(returnUrl);
  if (url === null) return null;
  // Not URLSearchParams, which would re-encode the merchant's own query.
  const added = `paymentId=${encodeURIComponent(paymentId)}&status=${STATUS_OF[state]}`;
  url.search = url.search === '' ? added : `${url.search}&${added}`;
  return url.href;
}

/**
 * Where the form's answer may redirect to, as a Content-Security-Policy source; null if there is no return URL. It is
 * the scheme, not the origin, because browsers also apply it to every further redirect: a shop that redirects from
 * `shop.example` to `www.shop.example` would strand the customer on our page. `http:` also covers https.
 */
export function returnSource(returnUrl: string | null): string | null {
  return parseReturnUrl(returnUrl)?.protocol ?? null;
}

function parseReturnUrl(returnUrl: string | null): URL | null {
  if (returnUrl === null || !URL.canParse(returnUrl)) return null;
  const url = new URL(returnUrl);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
