import { Metrics } from './metrics';
import { ManualClock } from '@app/platform/testing';

describe('Metrics', () => {
  it('shows what was measured in the text format', async () => {
    const metrics = new Metrics();
    metrics.httpRequest('POST', '/api/v2/payments', 201, 0.004);
    metrics.appendBatch(3, 0.002);
    metrics.projectionLag('payments', 1.5, 12);
    metrics.todoList('webhooks', 4, 2.5);
    metrics.webhookAttempt('delivered');
    metrics.gatewayCall('authorize', 'approved');
    const lines = (await metrics.text()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'counterfoil_http_requests_total{method="POST",route="/api/v2/payments",status="201"} 1',
        'counterfoil_http_request_duration_seconds_count{method="POST",route="/api/v2/payments"} 1',
        'counterfoil_append_batch_events_sum 3',
        'counterfoil_append_duration_seconds_count 1',
        'counterfoil_projection_lag_seconds{projection="payments"} 1.5',
        'counterfoil_projection_lag_events{projection="payments"} 12',
        'counterfoil_todo_items{list="webhooks"} 4',
        'counterfoil_todo_overdue_seconds{list="webhooks"} 2.5',
        'counterfoil_webhook_attempts_total{outcome="delivered"} 1',
        'counterfoil_gateway_calls_total{operation="authorize",outcome="approved"} 1',
      ]),
    );
    expect(metrics.contentType).toMatch(/^text\/plain; version=/);
  });

  it('shows nothing of what was measured once and is no longer known', async () => {
    const metrics = new Metrics();
    metrics.projectionLag('payments', 0, 12);
    metrics.todoList('webhooks', 4, 2.5);
    metrics.forgetSampled();
    expect(await metrics.text()).not.toMatch(/(projection_lag|todo)_\w+\{/);
  });

  it('measures before it shows', async () => {
    const metrics = new Metrics();
    metrics.sampleOnScrape(async () => metrics.todoList('webhooks', 7, 0));
    expect(await metrics.text()).toContain('counterfoil_todo_items{list="webhooks"} 7');
  });

  it('is put together once for all who ask at the same time, and again after a second', async () => {
    const clock = new ManualClock();
    const metrics = new Metrics(clock);
    let sampled = 0;
    metrics.sampleOnScrape(async () => metrics.todoList('webhooks', ++sampled, 0));
    const texts = await Promise.all(Array.from({ length: 50 }, () => metrics.text()));
    expect([new Set(texts).size, sampled]).toEqual([1, 1]);
    await clock.advance(999);
    expect([await metrics.text(), sampled]).toEqual([texts[0], 1]);
    await clock.advance(1);
    expect(await metrics.text()).toContain('counterfoil_todo_items{list="webhooks"} 2');
  });

  it('asks again where it could not be put together', async () => {
    const metrics = new Metrics(new ManualClock());
    metrics.sampleOnScrape(() => Promise.reject(new Error('out of luck')));
    await expect(metrics.text()).rejects.toThrow('out of luck');
    metrics.sampleOnScrape(() => Promise.resolve());
    expect(await metrics.text()).toContain('# HELP');
  });

  it('stays small, whatever is asked for and however it is refused', async () => {
    const metrics = new Metrics();
    const routes = Array.from({ length: 50 }, (_, n) => `/api/v2/payments/:paymentId/number-${n}`);
    const statuses = [200, 400, 401, 403, 404, 405, 413, 415, 417, 429, 500, 503];
    for (const status of statuses) {
      for (const method of ['GET', 'HEAD', 'POST']) {
        for (const route of routes) metrics.httpRequest(method, route, status, 0.01);
      }
      for (const method of ['PROPFIND', 'MKCOL', 'M-SEARCH', 'TRACE'])
        metrics.httpRequest(method, 'unknown', status, 0);
    }
    const text = await metrics.text();
    const series = (name: string) =>
      text.split('\n').filter((line) => line.startsWith(`counterfoil_http_${name}`)).length;
    // Buckets per route and method, and one counter per route, method and status.
    expect([series('request_duration'), series('requests_total')]).toEqual([50 * 2 * 14, 50 * 3 * 12 + 12]);
  });

  it('keeps the measurements of two services in one process apart', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.todoList('webhooks', 1, 0);
    expect(await other.text()).not.toContain('list="webhooks"');
  });
});
