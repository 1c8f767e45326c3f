import { randomUUID } from 'node:crypto';
import type { Answer, MerchantClient, SendOptions } from './merchant-client';
import { bodyOf, create, type ReadPayment, untilStatus } from './payments';

export type Act = 'capture' | 'cancel';

/** Requests a capture or cancellation, with a new key unless one is given. */
export function ask(
  client: MerchantClient,
  act: Act,
  paymentId: string,
  body: unknown = {},
  options: SendOptions = {},
): Promise<Answer> {
  return client.send('POST', `/api/v2/payments/${paymentId}/${act}`, body, { key: randomUUID(), ...options }, false);
}

export async function accepted(
  client: MerchantClient,
  act: Act,
  paymentId: string,
  body: unknown = {},
): Promise<ReadPayment> {
  return bodyOf(await ask(client, act, paymentId, body), 202);
}

/** An authorized payment that awaits its capture. */
export async function authorized(
  client: MerchantClient,
  change: { readonly card?: string; readonly notifyUrl?: string } = {},
): Promise<ReadPayment> {
  const { paymentId } = await create(client, { ...change, extra: { captureMethod: 'MANUAL' } });
  return untilStatus(client, paymentId, 'AUTHORIZED');
}

/** All pages of one of a payment's lists. */
export async function listOf<T>(
  client: MerchantClient,
  paymentId: string,
  of: 'refunds' | 'events',
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let cursor = ''; ;) {
    const path = `/api/v2/payments/${paymentId}/${of}?limit=100${cursor}`;
    const answer = await client.send('GET', path, undefined, {}, false);
    const { items, nextCursor } = bodyOf<{ items: readonly T[]; nextCursor: string | null }>(answer, 200);
    all.push(...items);
    if (nextCursor === null) return all;
    cursor = `&cursor=${nextCursor}`;
  }
}

export function euros(value: string) {
  return { amount: { value, currency: 'EUR' } };
}
