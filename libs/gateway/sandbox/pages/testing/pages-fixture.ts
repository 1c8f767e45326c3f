import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import type { Currency } from '@app/money';

import type { GatewayAmount, NextAction, TransactionOutcome } from '../../../port';
import { CountingRandom, ManualClock } from '../../../testing/environment';
import { SandboxGateway } from '../../sandbox-gateway';
import { SandboxPagesModule } from '../pages.module';

export const NO_LIMIT = new AbortController().signal;
export const HTML = 'text/html; charset=utf-8';
const AMOUNT = { amountMinor: 1250n, currency: 'EUR' as Currency };

/** A payment that waits for its customer, and the paths of its two pages. */
export interface Step {
  readonly paymentId: string;
  readonly gatewayReference: string;
  readonly page: string;
  readonly form: string;
}

export interface StepChanges {
  readonly returnUrl?: string | undefined;
  readonly merchantName?: string;
  readonly description?: string;
  readonly card?: string;
  readonly amount?: GatewayAmount;
}

type Act = 'authorize' | 'capture' | 'void';

/** The pages of a sandbox with its own clock. */
export class PagesFixture {
  readonly clock = new ManualClock();
  private readonly folder = mkdtempSync(join(tmpdir(), 'gateway-pages-'));
  readonly gateway = SandboxGateway.open({
    file: join(this.folder, 'gateway.sqlite'),
    publicUrl: () => 'http://pay.example',
    clock: this.clock,
    random: new CountingRandom(),
  });
  private app!: NestFastifyApplication;
  private number = 0;

  async start(): Promise<void> {
    const module = SandboxPagesModule.of(this.gateway.challenges);
    this.app = await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), { logger: false });
    await this.app.init();
    await this.app.getHttpAdapter().getInstance().ready();
  }

  async stop(): Promise<void> {
    await this.app.close();
    await this.gateway.close();
    rmSync(this.folder, { recursive: true });
  }

  async newStep(changes: StepChanges = {}): Promise<Step> {
    this.number += 1;
    const paymentId = `pay_${String(this.number).padStart(26, '0')}`;
    const { returnUrl, card, ...rest } = {
      returnUrl: 'https://shop.example/done?cart=7#top',
      card: '4000000000003220',
      ...changes,
    };
    const registration = await this.gateway.register(
      {
        paymentId,
        fingerprint: 'f',
        merchantId: 'merchant_1',
        merchantName: 'Tea',
        orderId: '<order> "7"',
        amount: AMOUNT,
        card: { number: card, expiryMonth: '12', expiryYear: '2030', cvv: '123' },
        ...rest,
        ...(returnUrl === undefined ? {} : { returnUrl }),
        expiresAtMs: this.clock.nowMs() + 30 * 60 * 1000,
      },
      NO_LIMIT,
    );
    const { redirectUrl, fallbackUrl } = registration.nextAction as NextAction;
    const { gatewayReference } = registration;
    return { paymentId, gatewayReference, page: new URL(redirectUrl).pathname, form: new URL(fallbackUrl).pathname };
  }

  state(step: Step) {
    return this.gateway.challengeState(step.gatewayReference, NO_LIMIT);
  }

  get(url: string, acceptLanguage?: string) {
    const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
    return this.app.inject({ method: 'GET', url, headers });
  }

  post(url: string, payload = 'decision=approve') {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.app.inject({ method: 'POST', url, payload, headers });
  }

  /** Sends the transaction that the service sends once for this payment. */
  act(act: Act, { paymentId, gatewayReference }: Step, amountMinor = AMOUNT.amountMinor): Promise<TransactionOutcome> {
    const amount = { ...AMOUNT, amountMinor };
    return this.gateway[act]({ reference: `${act}_${paymentId}`, gatewayReference, amount }, NO_LIMIT);
  }
}
