import type { Browser, BrowserContext, Page } from 'playwright-core';
import { actsFor, expireChallenge } from '../support/books';
import { launchBrowser } from '../support/browser';
import { useLedger } from '../support/ledger';
import { CARDS, create, type CreatedPayment, untilStatus } from '../support/payments';
import { eventually } from '../support/service';
import { Shop } from '../support/shop';

const ledger = useLedger();

let browser: Browser;
let context: BrowserContext;
let shop: Shop;
beforeAll(async () => {
  shop = await Shop.start();
  browser = await launchBrowser();
});
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 360, height: 640 } });
});
afterEach(() => context.close());
afterAll(async () => {
  await browser.close();
  await shop.stop();
});

function challenged(): Promise<CreatedPayment> {
  return create(ledger.client, { card: CARDS.challenge, returnUrl: `${shop.url}/thanks` });
}

async function opened(payment: CreatedPayment): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(payment.nextAction!.redirectUrl);
  return tab;
}

const heading = (tab: Page) => tab.getByRole('heading', { level: 1 }).textContent();
const approve = (tab: Page) => tab.getByRole('button', { name: 'Approve payment' });
/** The page is there, and not only its address: before that Chromium may still be changing processes. */
const atTheShop = (tab: Page) => tab.waitForURL(({ href }) => href.startsWith(shop.url));

async function authorizedOnce(payment: CreatedPayment): Promise<void> {
  await untilStatus(ledger.client, payment.paymentId, 'COMPLETED');
  expect(actsFor(ledger.service.dataDir, payment.paymentId)).toMatchObject({ authorizations: 1, captures: 1 });
}

it('a customer who goes back after approving is told what has become of it', async () => {
  const payment = await challenged();
  const tab = await opened(payment);
  await approve(tab).click();
  await atTheShop(tab);
  await tab.goBack();
  await tab.reload();
  expect(['Payment approved', 'Amount reserved', 'Payment completed']).toContain(await heading(tab));
  expect(await approve(tab).count()).toBe(0);
  await authorizedOnce(payment);
});

it('a customer without a shop to go back to, and without script, sees the payment complete', async () => {
  const payment = await create(ledger.client, { card: CARDS.challenge });
  const withoutScript = await browser.newContext({ javaScriptEnabled: false });
  try {
    const tab = await withoutScript.newPage();
    await tab.goto(payment.nextAction!.redirectUrl);
    await approve(tab).click();
    await tab.getByRole('heading', { name: 'Payment completed' }).waitFor();
  } finally {
    await withoutScript.close();
  }
});

it('a customer with two tabs is answered once: the second one follows the first', async () => {
  const payment = await challenged();
  const [first, second] = [await opened(payment), await opened(payment)];
  await approve(first).click();
  await atTheShop(first);
  await second.getByRole('button', { name: 'Decline' }).click();
  await atTheShop(second);
  expect(new URL(second.url()).searchParams.get('status')).toBe('AUTHENTICATED');
  await authorizedOnce(payment);
});

it('a reload before the decision changes nothing', async () => {
  const payment = await challenged();
  const tab = await opened(payment);
  await tab.reload();
  expect(await heading(tab)).toBe('Confirm your payment');
  await approve(tab).click();
  await atTheShop(tab);
  await authorizedOnce(payment);
});

it('a customer without a mouse gets along, and sees where the focus is', async () => {
  const payment = await challenged();
  const tab = await opened(payment);
  const focused = () => tab.evaluate('document.activeElement.textContent.trim()');
  for (let tabs = 0; tabs < 5 && (await focused()) !== 'Approve payment'; tabs += 1) await tab.keyboard.press('Tab');
  expect(await focused()).toBe('Approve payment');
  expect(await tab.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
  await tab.keyboard.press('Enter');
  await atTheShop(tab);
  await authorizedOnce(payment);
});

it.each([
  ['en-GB', 'en', 'Approve payment', 'Decline'],
  ['de-AT', 'de', 'Zahlung freigeben', 'Ablehnen'],
  ['fr-CA', 'fr', 'Approuver le paiement', 'Refuser'],
  ['es-MX', 'es', 'Aprobar el pago', 'Rechazar'],
  ['ar-EG', 'ar', 'الموافقة على الدفع', 'رفض'],
])('fits for %s on a small screen, with buttons that a thumb can hit', async (locale, language, ...names) => {
  const local = await browser.newContext({ locale, viewport: { width: 360, height: 640 } });
  try {
    const tab = await local.newPage();
    await tab.goto((await challenged()).nextAction!.redirectUrl);
    expect(await tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    for (const name of names) {
      const { height } = (await tab.getByRole('button', { name }).boundingBox())!;
      expect(height).toBeGreaterThanOrEqual(44);
    }
    expect(await tab.locator('html').getAttribute('lang')).toBe(language);
  } finally {
    await local.close();
  }
});

describe('a customer who comes too late', () => {
  async function expectOver(tab: Page, payment: CreatedPayment): Promise<void> {
    expect(await heading(tab)).toBe('Payment expired');
    expect(await tab.getByRole('button').count()).toBe(0);
    expect(await tab.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    const { authorizations, captures } = actsFor(ledger.service.dataDir, payment.paymentId);
    expect([authorizations, captures]).toEqual([0, 0]);
  }

  it('is told so, on both pages', async () => {
    const payment = await challenged();
    expireChallenge(ledger.service.dataDir, payment.paymentId);
    const tab = await opened(payment);
    await expectOver(tab, payment);
    await tab.goto(payment.nextAction!.fallbackUrl);
    await expectOver(tab, payment);
  });

  it('is told so also where the page was opened in time, and the decision counts for nothing', async () => {
    const payment = await challenged();
    const tab = await opened(payment);
    expireChallenge(ledger.service.dataDir, payment.paymentId);
    await approve(tab).click();
    await eventually('the answer', async () => (await approve(tab).count()) === 0);
    await expectOver(tab, payment);
    expect(tab.url().startsWith(ledger.service.url)).toBe(true);
    await tab.reload();
    await expectOver(tab, payment);
  });
});

it('an unknown token shows a page that says so', async () => {
  const tab = await context.newPage();
  const response = await tab.goto(`${ledger.service.url}/sandbox/3ds/1.${'A'.repeat(43)}`);
  expect(response?.status()).toBe(404);
  expect(await tab.getByRole('button').count()).toBe(0);
});
