import { Metrics } from '.';

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
        'counterfoil_http_request_duration_seconds_count{method="POST",route="/api/v2/payments",status="201"} 1',
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

  it('keeps the measurements of two services in one process apart', async () => {
    const [one, other] = [new Metrics(), new Metrics()];
    one.todoList('webhooks', 1, 0);
    expect(await other.text()).not.toContain('list="webhooks"');
  });
});
