import { createHash } from 'node:crypto';

import { HTML, PagesFixture } from './testing/pages-fixture';
import type { Step } from './testing/pages-fixture';

const UNKNOWN_TOKEN = `1.${'A'.repeat(43)}`;

describe('the pages of the 3DS step', () => {
  const pages = new PagesFixture();
  beforeAll(() => pages.start());
  afterAll(() => pages.stop());

  const locationOf = (step: Step, status: string) =>
    `https://shop.example/done?cart=7&paymentId=${step.paymentId}&status=${status}#top`;

  it.each(['page', 'form'] as const)('show on the %s what is to be paid to whom, and change nothing', async (kind) => {
    const step = await pages.newStep({ merchantName: `<script>alert('x')</script> & "Sons"` });
    const first = await pages.get(step[kind]);
    const second = await pages.get(step[kind]);
    expect(first.statusCode).toBe(200);
    expect(first.headers['content-type']).toBe(HTML);
    expect(first.body).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;Sons&quot;');
    expect(first.body).toContain('&lt;order&gt; &quot;7&quot;');
    expect(first.body).toContain('12.50 EUR');
    expect(first.body).toContain('<html lang="en" dir="ltr">');
    expect(first.body.match(/<button /g)).toHaveLength(2);
    expect(first.body.includes('<script>')).toBe(kind === 'page');
    expect(second.body).toBe(first.body);
    expect(await pages.state(step)).toBe('pending');
  });

  it.each(['page', 'form'] as const)('show on the %s the card by its last digits, and what it is for', async (kind) => {
    const step = await pages.newStep({ description: 'Two boxes <of> tea\n& a pot' });
    const { body } = await pages.get(step[kind]);
    expect(body).toContain('3220</dd>');
    expect(body).toContain('Two boxes &lt;of&gt; tea\n&amp; a pot</dd>');
    expect(body).not.toContain('400000');
    for (const description of [undefined, ' \n']) {
      const plain = await pages.newStep(description === undefined ? {} : { description });
      expect((await pages.get(plain[kind])).body).not.toContain('Description');
    }
  });

  it.each(['page', 'form'] as const)(
    'allow on the %s their own style, script and way back, and nothing else',
    async (kind) => {
      const step = await pages.newStep();
      const { body, headers } = await pages.get(step[kind]);
      const hashOf = (tag: string) => {
        const content = new RegExp(`<${tag}>([^]*)</${tag}>`).exec(body)?.[1] ?? '';
        return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
      };
      expect(headers['content-security-policy']).toBe(
        [
          "default-src 'none'",
          `style-src ${hashOf('style')}`,
          ...(kind === 'page' ? [`script-src ${hashOf('script')}`] : []),
          "form-action 'self' https:",
          "frame-ancestors 'none'",
          "base-uri 'none'",
        ].join('; '),
      );
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
      expect(body).not.toMatch(/ (style|on[a-z]+|src)=/);
    },
  );

  it.each([
    ['page', 'approve', 'succeeded', 'AUTHENTICATED'],
    ['page', 'decline', 'failed', 'DECLINED'],
    ['form', 'approve', 'succeeded', 'AUTHENTICATED'],
    ['form', 'decline', 'failed', 'DECLINED'],
  ] as const)('take on the %s a decision to %s, and lead back', async (kind, decision, ended, status) => {
    const step = await pages.newStep();
    const answer = await pages.post(step[kind], `decision=${decision}`);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(locationOf(step, status));
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await pages.state(step)).toBe(ended);
  });

  it('lead where the first decision led, whatever comes later on either page', async () => {
    const step = await pages.newStep();
    await pages.post(step.page, 'decision=decline');
    for (const url of [step.page, step.form]) {
      expect((await pages.post(url)).headers.location).toBe(locationOf(step, 'DECLINED'));
      const shown = await pages.get(url);
      expect(shown.statusCode).toBe(200);
      expect(shown.body).toContain('Payment declined');
      expect(shown.body).toContain(`href="${locationOf(step, 'DECLINED').replaceAll('&', '&amp;')}"`);
      expect(shown.body).not.toContain('<form');
    }
    expect(await pages.state(step)).toBe('failed');
  });

  it.each([undefined, 'javascript:alert(1)'])('end at a page of their own when returnUrl is %s', async (returnUrl) => {
    const step = await pages.newStep({ returnUrl });
    const asked = await pages.get(step.page);
    expect(asked.headers['content-security-policy']).toContain("form-action 'self';");
    const answer = await pages.post(step.page);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.body).toContain('Payment approved');
    expect(answer.body).not.toContain('Return to the merchant');
  });

  it('ask again when no decision was made', async () => {
    const step = await pages.newStep();
    for (const payload of ['', 'decision=maybe']) {
      const answer = await pages.post(step.form, payload);
      expect(answer.statusCode).toBe(400);
      expect(answer.body).toContain('<p role="alert">');
      expect(answer.body).toContain('<form');
    }
    expect(await pages.state(step)).toBe('pending');
  });

  it('say so when the time is over', async () => {
    const step = await pages.newStep();
    pages.clock.advance(30 * 60 * 1000);
    for (const answer of [
      await pages.get(step.page),
      await pages.get(step.form),
      await pages.post(step.page),
      await pages.post(step.form),
    ]) {
      expect(answer.statusCode).toBe(410);
      expect(answer.body).toContain('Payment expired');
      expect(answer.body).toContain('status=EXPIRED');
    }
    expect(await pages.state(step)).toBe('expired');
  });

  it('say that the merchant has cancelled, also once the time would be over', async () => {
    const step = await pages.newStep();
    await pages.act('void', step);
    for (const later of [0, 60 * 60 * 1000]) {
      pages.clock.advance(later);
      for (const answer of [await pages.get(step.page), await pages.post(step.form)]) {
        expect(answer.statusCode).toBe(410);
        expect(answer.body).toContain('The merchant has cancelled this payment.');
        expect(answer.body).toContain('status=CANCELLED');
      }
    }
    expect(await pages.state(step)).toBe('expired');
  });

  it('say that the time is over where the payment was closed for that', async () => {
    const step = await pages.newStep();
    pages.clock.advance(30 * 60 * 1000);
    await pages.act('void', step);
    expect((await pages.get(step.page)).body).toContain('Payment expired');
  });

  it.each([UNKNOWN_TOKEN, 'x', '..%2f', '%00', "'%20OR%201=1"])('do not know the token %s', async (token) => {
    for (const path of [`/sandbox/3ds/${token}`, `/sandbox/3ds/${token}/form`]) {
      for (const answer of [await pages.get(path), await pages.post(path), await pages.post(path, '')]) {
        expect(answer.statusCode).toBe(404);
        expect(answer.headers['content-type']).toBe(HTML);
        expect(answer.body).toContain('Page not found');
      }
    }
  });

  it('open each with its own token only', async () => {
    const step = await pages.newStep();
    const swapped = [`${step.page}/form`, step.form.replace(/\/form$/, '')];
    for (const url of swapped) {
      expect((await pages.get(url)).statusCode).toBe(404);
      expect((await pages.post(url)).statusCode).toBe(404);
    }
    expect(await pages.state(step)).toBe('pending');
  });

  it('ask to try again when the issuer is out of reach', async () => {
    const step = await pages.newStep();
    await pages.gateway.close();
    const answer = await pages.get(step.page);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect((await pages.post(step.page)).statusCode).toBe(503);
  });
});
