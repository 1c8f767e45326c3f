/** Shared by the specs of the HTTP client. */
import { AllowedCidrs } from '@app/webhooks/delivery/cidr';
import type { WebhookHttpClientOptions, WebhookRequest } from '@app/webhooks/delivery/http-client';
import { WebhookHttpClient } from '@app/webhooks/delivery/http-client';
import type { ResolveHost } from '@app/webhooks/delivery/resolver';
import { ManualClock } from './manual-clock';
import type { Receiver } from './receiver';
import { startRawReceiver, startReceiver } from './receiver';

const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);
/** What a spec leaves to be cleaned up after it. */
export const cleanups: (() => Promise<unknown>)[] = [];

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}

export async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...args);
  cleanups.push(() => started.close());
  return started;
}

export async function rawReceiver(...args: Parameters<typeof startRawReceiver>): Promise<Receiver> {
  const started = await startRawReceiver(...args);
  cleanups.push(() => started.close());
  return started;
}

/** Returns the listed answers, one per lookup (the last one repeats), and counts the lookups. */
export function resolverGiving(...lookups: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: ResolveHost = async (hostname) => {
    const addresses = lookups[Math.min(asked.length, lookups.length - 1)] ?? [];
    asked.push(hostname);
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { resolve, asked };
}

export function setUp(options: Partial<WebhookHttpClientOptions> = {}) {
  const clock = new ManualClock(NOW);
  const { resolve } = resolverGiving(['127.0.0.1']);
  const client = new WebhookHttpClient({ clock, allowed: AllowedCidrs.loopback, resolve, ...options });
  const deliver = (url: string, request: Partial<WebhookRequest> = {}) =>
    client.deliver({ url, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}', ...request });
  return { clock, deliver };
}
