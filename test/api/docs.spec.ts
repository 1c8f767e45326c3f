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
  page.setDefaultTimeout(100_000);
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

async function isInSight(selector: string): Promise<boolean> {
  const place = await page.locator(selector).first().boundingBox();
  return place !== null && place.y >= 0 && place.y < page.viewportSize()!.height;
}

describe('the reference in a browser', () => {
  it('shows the guide with its examples, the operations and the webhooks', async () => {
    await heading('Signing requests').waitFor();
    await shown('You need four credentials');
    await shown('TOO_MANY_REFUNDS');
    const contents = page.getByRole('complementary', { name: 'Sidebar for Counterfoil' });
    for (const entry of ['Payments', 'Refunds', 'Webhook deliveries', 'Webhooks']) {
      await contents.getByText(entry, { exact: true }).first().waitFor();
    }
  });

  it('shows of an operation what it takes, an example and its errors', async () => {
    await page.locator('a[href="#tag/payments/createPayment"]').first().click();
    await heading('Create a payment').waitFor();
    expect(new URL(page.url()).hash).toBe('#tag/payments/createPayment');
    await shown('Needs the scope');
    await shown('A new key for each operation, and the same key for each retry of it.');
    await shown('order-1042');
    await page.getByRole('tab', { name: '422' }).first().click();
    await shown('"IDEMPOTENCY_KEY_REUSED"');
  });

  it('leads to the chapter that a refusal names', async () => {
    await page.goto(`${ledger.service.url}/docs#signing-requests`);
    await page.reload();
    await heading('Signing requests').waitFor();
    await eventually('the chapter in sight', () => isInSight('#signing-requests'));
  });

  it('shows the ways between the statuses as a picture', async () => {
    const picture = page.getByRole('img', { name: 'The statuses of a payment and of a refund' });
    await eventually('the picture', () =>
      picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0),
    );
  });

  it('finds chapters and operations', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('idempotency');
    await page.getByRole('option', { name: 'Retries and idempotency' }).click();
    await eventually('the chapter in sight', () => isInSight('#retries-and-idempotency'));
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('cancel');
    await page.getByRole('option', { name: 'Cancel a payment' }).click();
    await eventually('the operation in the address', async () => page.url().endsWith('/cancelPayment'));
  });

  it("shows the operator's operations on a page of their own", async () => {
    expect(await page.getByText('Register a merchant').count()).toBe(0);
    await page.goto(`${ledger.service.url}/docs/operators`);
    await heading('First steps').waitFor();
    const contents = page.getByRole('complementary', { name: 'Sidebar for Counterfoil for operators' });
    for (const entry of ['Merchants', 'Projections', 'Operations']) {
      await contents.getByText(entry, { exact: true }).first().waitFor();
    }
    expect(await page.getByText('Create a payment').count()).toBe(0);
  });

  it('asks nothing of another host, and complains of nothing', () => {
    expect([...askedOf]).toEqual([ledger.service.url]);
    expect(complaints).toEqual([]);
  });
});
