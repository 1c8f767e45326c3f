import { Html, html } from '@app/platform/http/html';

import type { AccountOutcome } from '../account-outcome';
import type { ChallengePage, ChallengeView } from '../challenges';
import { writtenAmount } from './amounts';
import { OUTCOME_ICONS } from './assets';
import { type PageAnswer, pageAnswer } from './document';
import { returnLocation } from './return-url';
import type { FinishedState } from './return-url';
import type { Texts } from './texts/texts';

/** The page of an unsettled payment reloads after each of these pauses, then leaves reloading to the customer. */
const PAUSES_SECONDS = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55];

const ICON_OF: Readonly<Record<AccountOutcome, keyof typeof OUTCOME_ICONS>> = {
  processing: 'waiting',
  authorized: 'waiting',
  completed: 'done',
  declined: 'stopped',
  failed: 'stopped',
  cancelled: 'stopped',
  expired: 'stopped',
};

/** The authentication step: amount, merchant and two buttons. The `form` page is the same without a script. */
export function decisionPage(
  texts: Texts,
  page: ChallengePage,
  view: ChallengeView,
  problem: string | null = null,
): PageAnswer {
  const main = html`<h1>${texts.confirm}</h1>
    ${problem === null ? '' : html`<p role="alert">${problem}</p>`} ${details(texts, view)}
    <form method="post" aria-label="${texts.decision}">
      <button name="decision" value="approve">${texts.approve}</button>
      <button name="decision" value="decline">${texts.decline}</button>
    </form>`;
  const status = problem === null ? 200 : 400;
  return pageAnswer(texts, { status, title: texts.confirm, main, script: page === 'page', returnUrl: view.returnUrl });
}

/**
 * The result of a payment after the customer's step, with a link back to the merchant if there is one.
 *
 * @param checks how many times the page has reloaded.
 */
export function outcomePage(texts: Texts, view: ChallengeView, state: FinishedState, checks = 0): PageAnswer {
  const { title, text } = texts.outcomes[view.outcome];
  const isSettled = view.outcome !== 'processing' && view.outcome !== 'authorized';
  const pauseSeconds = isSettled ? undefined : PAUSES_SECONDS[checks];
  const location = returnLocation(view.returnUrl, view.paymentId, state);
  const main = html`${OUTCOME_ICONS[ICON_OF[view.outcome]]}
    <h1>${title}</h1>
    <p>${text}</p>
    ${isSettled ? '' : lookingAgain(texts, view.outcome, pauseSeconds !== undefined)} ${details(texts, view)}
    ${
      location === null
        ? html`<p>${texts.closePage}</p>`
        : html`<a class="button" href="${location}" rel="noreferrer">${texts.backToMerchant}</a>`
    }`;
  const isOver = state === 'expired' || state === 'cancelled';
  const page = pageAnswer(texts, { status: isOver ? 410 : 200, title, main });
  if (pauseSeconds === undefined) return page;
  // Relative, because a proxy in front may have stripped a part of the path.
  return { ...page, headers: { ...page.headers, refresh: `${pauseSeconds}; url=?checks=${checks + 1}` } };
}

/** Redirects the browser to the merchant. 303 makes it follow with a GET; null if there is no return URL. */
export function returnAnswer(texts: Texts, view: ChallengeView, state: FinishedState): PageAnswer | null {
  const location = returnLocation(view.returnUrl, view.paymentId, state);
  if (location === null) return null;
  const page = outcomePage(texts, view, state);
  return { ...page, status: 303, headers: { ...page.headers, location } };
}

export function unknownPage(texts: Texts): PageAnswer {
  return messagePage(texts, 404, texts.notFound);
}

export function unavailablePage(texts: Texts): PageAnswer {
  const page = messagePage(texts, 503, texts.tryAgain);
  return { ...page, headers: { ...page.headers, 'retry-after': '2' } };
}

function messagePage(texts: Texts, status: number, { title, text }: { title: string; text: string }): PageAnswer {
  const main = html`<h1>${title}</h1>
    <p>${text}</p>`;
  return pageAnswer(texts, { status, title, main });
}

/** Once the page no longer reloads, only a `processing` payment is said to take longer: a hold may wait for days. */
function lookingAgain(texts: Texts, outcome: AccountOutcome, looksByItself: boolean): Html {
  const patience = outcome === 'processing' ? texts.takesLonger : '';
  return html`<p>${looksByItself ? texts.looksAgain : patience} <a href="?">${texts.lookAgain}</a></p>`;
}

/** Merchant texts may have a different writing direction than the page. */
function details(texts: Texts, view: ChallengeView): Html {
  const { merchantName, description, orderId, cardLastFour } = view;
  const row = (term: string, value: Html) =>
    html`<div>
      <dt>${term}</dt>
      ${value}
    </div>`;
  const foreign = (term: string, text: string) => row(term, html`<dd dir="auto">${text}</dd>`);
  const hasDescription = description !== null && description.trim() !== '';
  const amount = writtenAmount(view.amount, texts.language);
  const rows = [
    row(texts.amount, html`<dd class="amount">${amount}</dd>`),
    foreign(texts.merchant, merchantName),
    ...(hasDescription ? [foreign(texts.description, description)] : []),
    foreign(texts.order, orderId),
    ...(cardLastFour === null
      ? []
      : [row(texts.card, html`<dd dir="ltr"><span aria-hidden="true">•••• </span>${cardLastFour}</dd>`)]),
  ];
  return html`<dl>${Html.join(rows)}</dl>`;
}
