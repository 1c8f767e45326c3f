import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import type { Currency } from '@app/money';

import type { NextAction } from '../../port';
import { CountingRandom, ManualClock } from '../../testing/environment';
import { SandboxGateway } from '../sandbox-gateway';
import { SandboxPagesModule } from './pages.module';

const NO_LIMIT = new AbortController().signal;
const UNKNOWN_TOKEN = `1.${'A'.repeat(43)}`;
const HTML = 'text/html; charset=utf-8';

describe('the pages of the 3DS step', () => {
  const clock = new ManualClock();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-pages-'));
  let gateway: SandboxGateway;
  let app: NestFastifyApplication;
  let number = 0;

  beforeAll(async () => {
    const random = new CountingRandom();
    gateway = SandboxGateway.open({
      file: join(folder, 'gateway.sqlite'),
      publicUrl: () => 'http://pay.example',
      clock,
      random,
    });
    app = await NestFactory.create<NestFastifyApplication>(
      SandboxPagesModule.of(gateway.challenges),
      new FastifyAdapter(),
      { logger: false },
    );
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });

  afterAll(async () => {
    await app.close();
    await gateway.close();
    rmSync(folder, { recursive: true });
  });

  interface Step {
    readonly paymentId: string;
    readonly gatewayReference: string;
    readonly page: string;
    readonly form: string;
  }

  async function newStep(changes: { returnUrl?: string | undefined; merchantName?: string } = {}): Promise<Step> {
    number += 1;
    const paymentId = `pay_${String(number).padStart(26, '0')}`;
    const { returnUrl, merchantName } = {
      returnUrl: 'https://shop.example/done?cart=7#top',
      merchantName: 'Tea',
      ...changes,
    };
    const registration = await gateway.register(
      {
        paymentId,
        fingerprint: 'f',
        merchantId: 'merchant_1',
        merchantName,
        orderId: '<order> "7"',
        amount: { amountMinor: 1250n, currency: 'EUR' as Currency },
        card: { number: '4000000000003220', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
        ...(returnUrl === undefined ? {} : { returnUrl }),
        expiresAtMs: clock.nowMs() + 30 * 60 * 1000,
      },
      NO_LIMIT,
    );
    const { redirectUrl, fallbackUrl } = registration.nextAction as NextAction;
    const { gatewayReference } = registration;
    return { paymentId, gatewayReference, page: new URL(redirectUrl).pathname, form: new URL(fallbackUrl).pathname };
  }

  const state = (step: Step) => gateway.challengeState(step.gatewayReference, NO_LIMIT);
  const get = (url: string) => app.inject({ method: 'GET', url });
  const post = (url: string, payload = 'decision=approve') =>
    app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  const locationOf = (step: Step, status: string) =>
    `https://shop.example/done?cart=7&paymentId=${step.paymentId}&status=${status}#top`;

  it.each(['page', 'form'] as const)('show on the %s what is to be paid to whom, and change nothing', async (kind) => {
    const step = await newStep({ merchantName: `<script>alert('x')</script> & "Sons"` });
    const first = await get(step[kind]);
    const second = await get(step[kind]);
    expect(first.statusCode).toBe(200);
    expect(first.headers['content-type']).toBe(HTML);
    expect(first.body).toContain('&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;Sons&quot;');
    expect(first.body).toContain('&lt;order&gt; &quot;7&quot;');
    expect(first.body).toContain('12.50 EUR');
    expect(first.body).toContain('<html lang="en">');
    expect(first.body.match(/<button /g)).toHaveLength(2);
    expect(first.body.includes('<script>')).toBe(kind === 'page');
    expect(second.body).toBe(first.body);
    expect(await state(step)).toBe('pending');
  });

  it.each(['page', 'form'] as const)(
    'allow on the %s their own style, script and way back, and nothing else',
    async (kind) => {
      const step = await newStep();
      const { body, headers } = await get(step[kind]);
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
    const step = await newStep();
    const answer = await post(step[kind], `decision=${decision}`);
    expect(answer.statusCode).toBe(303);
    expect(answer.headers.location).toBe(locationOf(step, status));
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(await state(step)).toBe(ended);
  });

  it('lead where the first decision led, whatever comes later on either page', async () => {
    const step = await newStep();
    await post(step.page, 'decision=decline');
    for (const url of [step.page, step.form]) {
      expect((await post(url)).headers.location).toBe(locationOf(step, 'DECLINED'));
      const shown = await get(url);
      expect(shown.statusCode).toBe(200);
      expect(shown.body).toContain('Payment declined');
      expect(shown.body).toContain(`href="${locationOf(step, 'DECLINED').replaceAll('&', '&amp;')}"`);
      expect(shown.body).not.toContain('<form');
    }
    expect(await state(step)).toBe('failed');
  });

  it.each([undefined, 'javascript:alert(1)'])('end at a page of their own when returnUrl is %s', async (returnUrl) => {
    const step = await newStep({ returnUrl });
    const asked = await get(step.page);
    expect(asked.headers['content-security-policy']).toContain("form-action 'self';");
    const answer = await post(step.page);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.body).toContain('Payment approved');
    expect(answer.body).not.toContain('href');
  });

  it('ask again when no decision was made', async () => {
    const step = await newStep();
    for (const payload of ['', 'decision=maybe']) {
      const answer = await post(step.form, payload);
      expect(answer.statusCode).toBe(400);
      expect(answer.body).toContain('<p role="alert">');
      expect(answer.body).toContain('<form');
    }
    expect(await state(step)).toBe('pending');
  });

  it('say so when the time is over', async () => {
    const step = await newStep();
    clock.advance(30 * 60 * 1000);
    for (const answer of [await get(step.page), await get(step.form), await post(step.page), await post(step.form)]) {
      expect(answer.statusCode).toBe(410);
      expect(answer.body).toContain('This page has expired');
      expect(answer.body).toContain('status=EXPIRED');
    }
    expect(await state(step)).toBe('expired');
  });

  it('say that the merchant has cancelled, also once the time would be over', async () => {
    const step = await newStep();
    const { gatewayReference } = step;
    const reference = `void_${step.paymentId}`;
    const amount = { amountMinor: 1250n, currency: 'EUR' as Currency };
    await gateway.void({ reference, gatewayReference, amount }, NO_LIMIT);
    for (const later of [0, 60 * 60 * 1000]) {
      clock.advance(later);
      for (const answer of [await get(step.page), await post(step.form)]) {
        expect(answer.statusCode).toBe(410);
        expect(answer.body).toContain('The merchant has cancelled this payment.');
        expect(answer.body).toContain('status=CANCELLED');
      }
    }
    expect(await state(step)).toBe('expired');
  });

  it('say that the time is over where the payment was closed for that', async () => {
    const step = await newStep();
    clock.advance(30 * 60 * 1000);
    const { gatewayReference } = step;
    const amount = { amountMinor: 1250n, currency: 'EUR' as Currency };
    await gateway.void({ reference: `void_${step.paymentId}`, gatewayReference, amount }, NO_LIMIT);
    expect((await get(step.page)).body).toContain('This page has expired');
  });

  it.each([UNKNOWN_TOKEN, 'x', '..%2f', '%00', "'%20OR%201=1"])('do not know the token %s', async (token) => {
    for (const path of [`/sandbox/3ds/${token}`, `/sandbox/3ds/${token}/form`]) {
      for (const answer of [await get(path), await post(path), await post(path, '')]) {
        expect(answer.statusCode).toBe(404);
        expect(answer.headers['content-type']).toBe(HTML);
        expect(answer.body).toContain('Page not found');
      }
    }
  });

  it('open each with its own token only', async () => {
    const step = await newStep();
    const swapped = [`${step.page}/form`, step.form.replace(/\/form$/, '')];
    for (const url of swapped) {
      expect((await get(url)).statusCode).toBe(404);
      expect((await post(url)).statusCode).toBe(404);
    }
    expect(await state(step)).toBe('pending');
  });

  it('ask to try again when the issuer is out of reach', async () => {
    const step = await newStep();
    await gateway.close();
    const answer = await get(step.page);
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect((await post(step.page)).statusCode).toBe(503);
  });
});
