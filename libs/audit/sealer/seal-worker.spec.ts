import { RecordingLogger } from '@app/platform/testing';
import { Metrics } from '@app/platform/telemetry';
import { AuditedLog } from '../testing/audited-log';
import { SealWorker } from './seal-worker';

async function valueOf(metrics: Metrics, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await metrics.text())?.[1]);
}

describe('the worker that seals', () => {
  it('seals within 30 s, and tells how far', async () => {
    const log = new AuditedLog();
    const [logger, metrics, abort] = [new RecordingLogger(), new Metrics(), new AbortController()];
    const worker = new SealWorker({ sealer: log.newSealer(), clock: log.clock, logger, metrics });
    const running = worker.run(abort.signal);
    await log.clock.advance(1_000);
    await log.write(1, '1', '2');
    await log.clock.advance(30_000);
    expect(await valueOf(metrics, 'counterfoil_sealed_events')).toBe(2);
    expect(await valueOf(metrics, 'counterfoil_last_seal_timestamp_seconds')).toBeGreaterThan(0);
    expect([worker.readinessCheck().check(), logger.records]).toEqual([null, []]);
    abort.abort();
    await running;
    expect(await valueOf(metrics, 'counterfoil_sealed_events')).toBe(0);
  });

  it('refuses to seal over a log that contradicts its last seal, and says so until it agrees again', async () => {
    const log = await new AuditedLog().fill();
    const { seeds } = log.keys;
    seeds.splice(0, 1, 2);
    const [logger, metrics, abort] = [new RecordingLogger(), new Metrics(), new AbortController()];
    const worker = new SealWorker({ sealer: log.newSealer(), clock: log.clock, logger, metrics });
    const running = worker.run(abort.signal);
    await log.clock.advance(120_000);
    expect(worker.readinessCheck()).toMatchObject({ name: 'seals', tolerable: true });
    expect(worker.readinessCheck().check()).toMatch(
      /^nothing is sealed since 20\S+: the log contradicts its last seal/,
    );
    expect(await valueOf(metrics, 'counterfoil_sealing_failures_total')).toBeGreaterThan(3);
    expect(await valueOf(metrics, 'counterfoil_unsealed_age_seconds')).toBeGreaterThan(60);
    expect(logger.records[0]).toMatchObject({ level: 'error', message: 'the history is not sealed' });
    seeds.splice(0, 1, 1);
    await log.clock.advance(30_000);
    expect(worker.readinessCheck().check()).toBeNull();
    expect(await valueOf(metrics, 'counterfoil_sealed_events')).toBe(10);
    expect(await valueOf(metrics, 'counterfoil_unsealed_age_seconds')).toBe(0);
    abort.abort();
    await running;
  });
});
