import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../support/browser';
import { useLedger } from '../support/ledger';
import { eventually } from '../support/service';

const ledger = useLedger();
let browser: Browser;
let page: Page;
const complaints: string[] = [];
const askedOf = new Set<string>();

beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') askedOf.add(origin);
  });
  await page.goto(`${ledger.service.url}/docs`);
});
afterAll(() => browser.close());

const heading = (name: string) => page.getByRole('heading', { name, exact: true }).first();
const shown = (text: string) => page.getByText(text).first().waitFor({ state: 'attached' });

describe('the reference in a browser', () => {
  it('shows the guide with its examples, the operations and the webhooks', async () => {
    await heading('Signing requests').waitFor();
    await shown('A merchant has four credentials');
    await shown('TOO_MANY_REFUNDS');
    const contents = page.getByRole('complementary', { name: 'Sidebar for Counterfoil' });
    for (const entry of ['Payments', 'Refunds', 'Projections', 'Webhooks']) {
      await contents.getByText(entry, { exact: true }).first().waitFor();
    }
  });

  it('shows of an operation what it takes, an example and its errors', async () => {
    await page.locator('a[href="#tag/payments/createPayment"]').first().click();
    await heading('Create a payment').waitFor();
    expect(new URL(page.url()).hash).toBe('#tag/payments/createPayment');
    await shown('Needs the scope');
    await shown('A new one for each operation, the same one for each retry of it.');
    await shown('order-1042');
    await page.getByRole('tab', { name: '422' }).first().click();
    await shown('"IDEMPOTENCY_KEY_REUSED"');
  });

  it('leads to the chapter that a refusal names', async () => {
    await page.goto(`${ledger.service.url}/docs#signing-requests`);
    await page.reload();
    await heading('Signing requests').waitFor();
    await eventually('the chapter in sight', async () => {
      const place = await page.locator('#signing-requests').first().boundingBox();
      return place !== null && place.y >= 0 && place.y < page.viewportSize()!.height;
    });
  });

  it('asks nothing of another host, and complains of nothing', () => {
    expect([...askedOf]).toEqual([ledger.service.url]);
    expect(complaints).toEqual([]);
  });
});
