import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { useLedger } from '../support/ledger';
import { createCompleted } from '../support/payments';
import { eventually } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const ledger = useLedger();
const guide = (name: string) => readFileSync(resolve(__dirname, '../../docs/guides', name), 'utf8');
/** What the guide to metrics has a section on. */
const explained = () => [...guide('metrics.md').matchAll(/^## `(counterfoil_\w+)`$/gm)].map(([, name]) => name);

async function metrics(): Promise<string> {
  return ledger.service.metrics();
}

describe('/metrics', () => {
  it('shows requests, appends, lags, lists, webhooks and gateway calls of a payment', async () => {
    const receiver = await WebhookReceiver.start();
    await createCompleted(ledger.client, { notifyUrl: receiver.url });
    await eventually('the webhook to be counted', async () =>
      (await metrics()).includes('counterfoil_webhook_attempts_total{outcome="success"} 1'),
    );
    await receiver.stop();
    const text = await metrics();
    const sample = (name: string, labels: string) => new RegExp(`^${name}\\{${labels}\\} [1-9]`, 'm');
    expect(text).toMatch(
      sample('counterfoil_http_requests_total', 'method="POST",route="/api/v2/payments",status="201"'),
    );
    for (const name of ['counterfoil_append_duration_seconds_count', 'counterfoil_append_batch_events_sum']) {
      expect(text).toMatch(new RegExp(`^${name} [1-9]`, 'm'));
    }
    const outcomes = { register: 'registered', authorize: 'approved', capture: 'approved' };
    for (const [operation, outcome] of Object.entries(outcomes)) {
      expect(text).toMatch(sample('counterfoil_gateway_calls_total', `operation="${operation}",outcome="${outcome}"`));
    }
    for (const projection of ['payments', 'processing', 'balances']) {
      expect(text).toMatch(
        new RegExp(`^counterfoil_projection_lag_seconds\\{projection="${projection}(:0/4)?"\\} \\d`, 'm'),
      );
      expect(text).toMatch(
        new RegExp(`^counterfoil_projection_lag_events\\{projection="${projection}(:0/4)?"\\} \\d`, 'm'),
      );
    }
    for (const list of ['payments', 'webhooks']) {
      expect(text).toMatch(new RegExp(`^counterfoil_todo_items\\{list="${list}"\\} \\d`, 'm'));
      expect(text).toMatch(new RegExp(`^counterfoil_todo_overdue_seconds\\{list="${list}"\\} \\d`, 'm'));
    }
  });

  it('shows what the guide explains, and nothing else of ours', async () => {
    const shown = [...(await metrics()).matchAll(/^# HELP (counterfoil_\w+) /gm)].map(([, name]) => name);
    expect(explained().sort()).toEqual([...new Set(shown)].sort());
  });

  it('has an alarm for each metric in the operators’ guide, which leads to its explanation', () => {
    const rows = guide('operations.md').matchAll(/^\| \[`(counterfoil_\w+)`\]\(metrics\.md#(\w+)\) +\| \S.*\| \S/gm);
    const alarms = [...rows].map(([, name, anchor]) => {
      expect(anchor).toBe(name);
      return name;
    });
    expect(alarms.sort()).toEqual(explained().sort());
  });
});
