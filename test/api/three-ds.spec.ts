import type { Browser } from 'playwright-core';
import { actsFor } from '../support/books';
import { launchBrowser } from '../support/browser';
import { eventsOf } from '../support/event-log';
import { useLedger } from '../support/ledger';
import { answerChallenge, CARDS, create, type CreatedPayment, read, untilStatus } from '../support/payments';
import { eventually } from '../support/service';
import { Shop } from '../support/shop';

const ledger = useLedger();

let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
});
afterAll(() => shop.stop());

function challenged(card: string = CARDS.challenge, path = '/back'): Promise<CreatedPayment> {
  return create(ledger.client, { card, returnUrl: `${shop.url}${path}` });
}

async function eventCount(paymentId: string): Promise<number> {
  return (await eventsOf(ledger.service.dataDir, `payment-${paymentId.slice('pay_'.length)}`)).length;
}

async function page(url: string, language = 'en'): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(url, { redirect: 'manual', headers: { 'Accept-Language': language } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the plain form', () => {
  it('lets an approved payment go on, and sends the customer back', async () => {
    const payment = await challenged(CARDS.challenge, '/back?order=1#top');
    const answer = await answerChallenge(payment, 'approve');
    expect(answer.status).toBe(303);
    const back = new URL(answer.headers.get('location')!);
    expect(`${back.origin}${back.pathname}${back.hash}`).toBe(`${shop.url}/back#top`);
    expect([...back.searchParams]).toEqual([
      ['order', '1'],
      ['paymentId', payment.paymentId],
      ['status', 'AUTHENTICATED'],
    ]);
    await untilStatus(ledger.client, payment.paymentId, 'COMPLETED');
  });

  it('ends a declined payment', async () => {
    const payment = await challenged();
    const answer = await answerChallenge(payment, 'decline');
    const back = new URL(answer.headers.get('location')!);
    expect(Object.fromEntries(back.searchParams)).toEqual({ paymentId: payment.paymentId, status: 'DECLINED' });
    const body = await untilStatus(ledger.client, payment.paymentId, 'FAILED');
    expect(body.error?.code).toBe('AUTHENTICATION_FAILED');
    expect(body.transactions.map(({ type, status }) => `${type} ${status}`)).toEqual(['AUTHORIZATION FAILED']);
    const none = { authorizations: 0, captures: 0, voids: 0, refunds: 0 };
    expect(actsFor(ledger.service.dataDir, payment.paymentId)).toEqual(none);
  });

  it.each([
    ['4000008400001629', 'FAILED', 'CARD_DECLINED'],
    ['4000008260003178', 'FAILED', 'INSUFFICIENT_FUNDS'],
    ['4000000000004954', 'COMPLETED', undefined],
  ])('leads %s to %s %s', async (card, status, error) => {
    const payment = await challenged(card);
    await answerChallenge(payment, 'approve');
    const body = await untilStatus(ledger.client, payment.paymentId, status);
    expect(body.error?.code).toBe(error);
  });

  it('shows where there is nowhere to go back to what has become of it', async () => {
    const payment = await create(ledger.client, { card: CARDS.challenge });
    const answer = await answerChallenge(payment, 'approve');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('Payment approved');
  });

  it('changes nothing when it is looked at, or answered with something else', async () => {
    const payment = await challenged();
    const { redirectUrl, fallbackUrl } = payment.nextAction!;
    for (const url of [redirectUrl, fallbackUrl, fallbackUrl, redirectUrl]) {
      const { status, text } = await page(url);
      expect([status, text.includes('129.90 EUR'), text.includes('order-1')]).toEqual([200, true, true]);
    }
    for (const body of ['', 'decision=', 'decision=maybe', 'decision[]=approve', 'x'.repeat(2000)]) {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(fallbackUrl, { method: 'POST', headers, body, redirect: 'manual' });
      expect(answer.status).toBe(400);
    }
    expect((await page(`${fallbackUrl}?decision=approve`)).status).toBe(200);
    expect((await fetch(fallbackUrl, { method: 'HEAD' })).status).toBe(200);
    expect((await read(ledger.client, payment.paymentId)).status).toBe('PROCESSING');
    expect(await eventCount(payment.paymentId)).toBe(1);
  });

  it('takes the first answer alone', async () => {
    const payment = await challenged();
    const first = await answerChallenge(payment, 'decline');
    await untilStatus(ledger.client, payment.paymentId, 'FAILED');
    const count = await eventCount(payment.paymentId);
    const second = await answerChallenge(payment, 'approve');
    expect([second.status, second.headers.get('location')]).toEqual([303, first.headers.get('location')]);
    const { text } = await page(payment.nextAction!.redirectUrl);
    expect(text).toContain('Payment declined');
    expect(await eventCount(payment.paymentId)).toBe(count);
    expect((await read(ledger.client, payment.paymentId)).status).toBe('FAILED');
  });

  it('is one answer when many come at once', async () => {
    const payment = await challenged();
    const answers = await Promise.all(Array.from({ length: 20 }, () => answerChallenge(payment, 'approve')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
    await untilStatus(ledger.client, payment.paymentId, 'COMPLETED');
    const once = { authorizations: 1, captures: 1, voids: 0, refunds: 0 };
    expect(actsFor(ledger.service.dataDir, payment.paymentId)).toEqual(once);
  });
});

describe('a customer who comes back', () => {
  /** Looks for as long as the page says that it will look again. */
  function shownInTheEnd(payment: CreatedPayment): Promise<string> {
    return eventually('the page to have settled', async () => {
      const { headers, text } = await page(payment.nextAction!.redirectUrl);
      return headers.has('refresh') ? null : text;
    });
  }

  it.each([
    ['4000000000003220', 'approve', 'Payment completed'],
    ['4000000000003220', 'decline', 'Payment declined'],
    ['4000008260003178', 'approve', 'Payment failed'],
  ] as const)('with %s, having said %s, is told in the end: %s', async (card, decision, title) => {
    const payment = await challenged(card);
    await answerChallenge(payment, decision);
    const text = await shownInTheEnd(payment);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(text).toContain(`href="${shop.url}/back?`);
  });

  it('is told that the amount is reserved, and that the merchant has cancelled', async () => {
    const payment = await create(ledger.client, { card: CARDS.challenge, extra: { captureMethod: 'MANUAL' } });
    await answerChallenge(payment, 'approve');
    await untilStatus(ledger.client, payment.paymentId, 'AUTHORIZED');
    const { text } = await page(payment.nextAction!.fallbackUrl);
    expect(text).toContain('<h1>Amount reserved</h1>');
    const path = `/api/v2/payments/${payment.paymentId}/cancel`;
    expect((await ledger.client.send('POST', path, {}, { key: 'cancelled-by-the-shop' }, false)).status).toBe(202);
    await untilStatus(ledger.client, payment.paymentId, 'CANCELLED');
    expect(await shownInTheEnd(payment)).toContain('<h1>Payment cancelled</h1>');
  });
});

it.each([
  ['de-CH, en;q=0.5', 'de', 'ltr', '1.234,50 EUR'],
  ['ar', 'ar', 'rtl', '1,234.50 EUR'],
])(
  'a customer who reads %s sees in their language what is to be paid, for what and with which card',
  async (wanted, language, direction, amount) => {
    const order = { orderId: 'order-7', description: 'Two boxes of <tea>' };
    const payment = await create(ledger.client, { card: CARDS.challenge, value: '1234.50', extra: { order } });
    for (const url of [payment.nextAction!.redirectUrl, payment.nextAction!.fallbackUrl]) {
      const { headers, text } = await page(url, wanted);
      expect([headers.get('content-language'), headers.get('vary')]).toEqual([language, 'accept-language']);
      expect(text).toContain(`<html lang="${language}" dir="${direction}">`);
      for (const shown of [amount, 'Two boxes of &lt;tea&gt;', 'order-7', '3220']) expect(text).toContain(shown);
      expect(text).not.toContain(CARDS.challenge);
    }
  },
);

describe('a customer who has lost the page', () => {
  it('is sent there again by what a read shows, until they have acted', async () => {
    const payment = await challenged();
    const { nextAction } = await read(ledger.client, payment.paymentId);
    expect(nextAction).toEqual({ ...payment.nextAction, expiresAt: payment.timeline.expiresAt });
    expect((await page(nextAction!.redirectUrl!)).status).toBe(200);
    await answerChallenge({ ...payment, nextAction: { ...payment.nextAction!, ...nextAction } }, 'approve');
    const done = await untilStatus(ledger.client, payment.paymentId, 'COMPLETED');
    expect(done).not.toHaveProperty('nextAction');
  });
});

describe('an address that is none', () => {
  it('shows a page that says so', async () => {
    const payment = await challenged();
    const { redirectUrl, fallbackUrl } = payment.nextAction!;
    const token = new URL(redirectUrl).pathname.split('/')[3]!;
    const base = `${ledger.service.url}/sandbox/3ds`;
    // Each token opens its own page, and that alone.
    const wrong = [
      `${base}/1.${'A'.repeat(43)}`,
      `${base}/x`,
      `${base}/${token}/form`,
      fallbackUrl.replace(/\/form$/, ''),
    ];
    for (const url of wrong) {
      const { status, text } = await page(url);
      expect([status, text.includes('Page not found')]).toEqual([404, true]);
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'decision=approve',
      });
      expect(answer.status).toBe(404);
    }
    expect(await eventCount(payment.paymentId)).toBe(1);
  });

  it('is never framed, cached, or told on', async () => {
    const { headers } = await fetch((await challenged()).nextAction!.redirectUrl);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['approves', 'Approve payment', true, 'redirectUrl', 'AUTHENTICATED', 'COMPLETED'],
    ['declines', 'Decline', true, 'redirectUrl', 'DECLINED', 'FAILED'],
    ['approves without a script', 'Approve payment', false, 'redirectUrl', 'AUTHENTICATED', 'COMPLETED'],
    ['declines on the plain form', 'Decline', false, 'fallbackUrl', 'DECLINED', 'FAILED'],
  ] as const)('a customer %s', async (_name, button, javaScriptEnabled, url, told, status) => {
    const payment = await challenged(CARDS.challenge, '/thanks?lang=en');
    const context = await browser.newContext({ javaScriptEnabled });
    try {
      const tab = await context.newPage();
      const complaints: string[] = [];
      tab.on('pageerror', (error) => complaints.push(error.message));
      tab.on('console', (message) => {
        // The browser asks for an icon by itself; there is none.
        if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico'))
          complaints.push(message.text());
      });
      await tab.goto(payment.nextAction![url]);
      expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe('Confirm your payment');
      expect(await tab.getByText('129.90 EUR').isVisible()).toBe(true);
      // Two clicks, as impatient customers do: the second one may find the page gone.
      await tab.getByRole('button', { name: button }).dblclick();
      // The second click may cut the first one's way off: what counts is where both lead.
      await eventually('the shop', () => Promise.resolve(tab.url().startsWith(shop.url)));
      await tab.waitForLoadState();
      const back = new URL(tab.url());
      expect(Object.fromEntries(back.searchParams)).toEqual({
        lang: 'en',
        paymentId: payment.paymentId,
        status: told,
      });
      expect(await tab.getByRole('heading').textContent()).toBe('Thank you');
      await untilStatus(ledger.client, payment.paymentId, status);
      await tab.goto(payment.nextAction![url]);
      const outcome = told === 'AUTHENTICATED' ? 'Payment completed' : 'Payment declined';
      expect(await tab.getByRole('heading', { level: 1 }).textContent()).toBe(outcome);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
});
