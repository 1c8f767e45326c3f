import { formatAmount } from '@app/money';
import { Html, html } from '@app/platform/http/html';

import type { ChallengePage, ChallengeView } from '../challenges';
import { contentSecurityPolicy, SCRIPT, STYLE } from './assets';
import { returnLocation, returnSource } from './return-url';
import type { FinishedState } from './return-url';

/** An answer of the pages, ready to be sent. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The step itself: what is to be paid to whom, and two buttons. The `form` page is the same without a script. */
export function decisionPage(page: ChallengePage, view: ChallengeView, problem: string | null = null): PageAnswer {
  const main = html`<h1>Confirm your payment</h1>
    <p class="note">Sandbox issuer: this is a test, and no money moves.</p>
    ${problem === null ? '' : html`<p role="alert">${problem}</p>`}
    <dl>
      <div>
        <dt>Merchant</dt>
        <dd>${view.merchantName}</dd>
      </div>
      <div>
        <dt>Order</dt>
        <dd>${view.orderId}</dd>
      </div>
      <div>
        <dt>Amount</dt>
        <dd>${formatAmount(view.amount.amountMinor, view.amount.currency)} ${view.amount.currency}</dd>
      </div>
    </dl>
    <form method="post" aria-label="Your decision">
      <button name="decision" value="approve">Approve payment</button>
      <button name="decision" value="decline">Decline</button>
    </form>`;
  const status = problem === null ? 200 : 400;
  return answer({ status, title: 'Confirm your payment', main, script: page === 'page', returnUrl: view.returnUrl });
}

/** What became of a step that is over, with a way back to the merchant if there is one. */
export function outcomePage(view: ChallengeView, state: FinishedState): PageAnswer {
  const { status, title, text } = OUTCOMES[state];
  const location = returnLocation(view.returnUrl, view.paymentId, state);
  const wayOn =
    location === null
      ? html`<p>You can close this page.</p>`
      : html`<a class="button" href="${location}" rel="noreferrer">Return to the merchant</a>`;
  return answer({
    status,
    title,
    main: html`<h1>${title}</h1>
      <p>${text}</p>
      ${wayOn}`,
  });
}

/** Sends the browser back to the merchant. 303, so that it follows with a GET; null when there is nowhere to go. */
export function returnAnswer(view: ChallengeView, state: FinishedState): PageAnswer | null {
  const location = returnLocation(view.returnUrl, view.paymentId, state);
  if (location === null) return null;
  const page = outcomePage(view, state);
  return { ...page, status: 303, headers: { ...page.headers, location } };
}

const OUTCOMES = {
  succeeded: { status: 200, title: 'Payment approved', text: 'You have approved this payment. It is being processed.' },
  failed: { status: 200, title: 'Payment declined', text: 'You have declined this payment. Nothing was charged.' },
  expired: { status: 410, title: 'This page has expired', text: 'The time to approve this payment is over.' },
  cancelled: {
    status: 410,
    title: 'Payment cancelled',
    text: 'The merchant has cancelled this payment. Nothing was charged.',
  },
} as const;

export function unknownPage(): PageAnswer {
  const main = html`<h1>Page not found</h1>
    <p>There is no payment to confirm at this address.</p>`;
  return answer({ status: 404, title: 'Page not found', main });
}

export function unavailablePage(): PageAnswer {
  const main = html`<h1>Please try again</h1>
    <p>The issuer cannot answer right now. Reload this page in a moment.</p>`;
  const page = answer({ status: 503, title: 'Please try again', main });
  return { ...page, headers: { ...page.headers, 'retry-after': '2' } };
}

interface Content {
  readonly status: number;
  readonly title: string;
  readonly main: Html;
  readonly script?: boolean;
  readonly returnUrl?: string | null;
}

function answer({ status, title, main, script = false, returnUrl = null }: Content): PageAnswer {
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${Html.trusted(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>${main}</main>
        ${script ? Html.trusted(`<script>${SCRIPT}</script>`) : ''}
      </body>
    </html> `;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': contentSecurityPolicy({ script, returnSource: returnSource(returnUrl) }),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
    body: document.text,
  };
}
