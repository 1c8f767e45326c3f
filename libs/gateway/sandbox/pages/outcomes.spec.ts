import { PagesFixture, type Step } from './testing/pages-fixture';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('the page of a step that is over', () => {
  const pages = new PagesFixture();
  beforeAll(() => pages.start());
  afterAll(() => pages.stop());

  async function answered(decision = 'approve', card = '4000000000003220'): Promise<Step> {
    const step = await pages.newStep({ card, returnUrl: undefined });
    await pages.post(step.form, `decision=${decision}`);
    return step;
  }

  async function expectShown(step: Step, title: string, looksAgain: boolean): Promise<void> {
    for (const path of [step.page, step.form]) {
      const { body, headers } = await pages.get(path);
      expect(body).toContain(`<h1>${title}</h1>`);
      expect(headers.refresh).toBe(looksAgain ? '1; url=?checks=1' : undefined);
      expect(body.includes('This page updates by itself.')).toBe(looksAgain);
      expect(body).not.toContain('<form');
    }
  }

  it('follows the payment until it is settled', async () => {
    const step = await answered();
    await expectShown(step, 'Payment approved', true);
    await pages.act('authorize', step);
    await expectShown(step, 'Amount reserved', true);
    await pages.act('capture', step);
    await expectShown(step, 'Payment completed', false);
  });

  it('tells that the customer declined', async () => {
    await expectShown(await answered('decline'), 'Payment declined', false);
  });

  it('tells that the card was declined', async () => {
    const step = await answered('approve', '4000008400001629');
    await pages.act('authorize', step);
    await expectShown(step, 'Payment failed', false);
  });

  it('tells that the capture was refused', async () => {
    const step = await answered();
    await pages.act('authorize', step);
    expect(await pages.act('capture', step, 1251n)).toMatchObject({ kind: 'declined' });
    await expectShown(step, 'Payment failed', false);
  });

  it('tells that the merchant cancelled, and that nobody captured in time', async () => {
    const [cancelled, expired] = [await answered(), await answered()];
    for (const step of [cancelled, expired]) await pages.act('authorize', step);
    await pages.act('void', cancelled);
    pages.clock.advance(7 * DAY_MS);
    await pages.act('void', expired);
    await expectShown(cancelled, 'Payment cancelled', false);
    await expectShown(expired, 'Payment expired', false);
  });

  it('shows what was captured where that is less', async () => {
    const step = await answered();
    await pages.act('authorize', step);
    await pages.act('capture', step, 501n);
    const { body } = await pages.get(step.page);
    expect(body).toContain('5.01 EUR');
    expect(body).not.toContain('12.50');
  });

  it('answers the decision with itself where there is nowhere to go, and looks again', async () => {
    const step = await pages.newStep({ returnUrl: undefined });
    const { statusCode, headers, body } = await pages.post(step.form);
    expect([statusCode, headers.refresh]).toEqual([200, '1; url=?checks=1']);
    expect(body).toContain('You can close this page.');
  });

  it('looks again ten times, ever more seldom, and then leaves that to the customer', async () => {
    const step = await answered();
    const pauses: number[] = [];
    let answer = await pages.get(step.page);
    while (answer.headers.refresh !== undefined) {
      const [, pause = '', path = ''] = /^(\d+); url=(.+)$/.exec(String(answer.headers.refresh)) ?? [];
      pauses.push(Number(pause));
      answer = await pages.get(`${step.page}${path}`);
    }
    expect(pauses).toHaveLength(10);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(answer.body).toContain('This is taking longer than usual.');
    expect(answer.body).toContain('<a href="?">Check again</a>');
  });

  it.each(['?checks=', '?checks=-1', '?checks=1e9', '?checks=5&checks=6', '?checks[]=5', '?other=1'])(
    'begins to count where its address ends in %s',
    async (query) => {
      const step = await answered();
      expect((await pages.get(`${step.page}${query}`)).headers.refresh).toBe('1; url=?checks=1');
    },
  );
});
