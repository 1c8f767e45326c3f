import { Sealer } from '@app/audit/sealer/sealer';
import { SealWorker } from '@app/audit/sealer/seal-worker';
import { type SealingKey, sealingKey, SealingKeys } from '@app/audit/sealer/sealing-keys';
import { CommandHandling } from '@app/event-sourcing';
import { RequestFingerprints, SecretCipher } from '@app/keys';
import { isOneOfMany } from '@app/platform/configuration';
import { Supervisor, type Worker } from '@app/platform/lifecycle';
import type { ReadinessCheck } from '@app/platform/telemetry';
import { LeasedPartitions } from '@app/projections/leased-partitions';
import type { INestApplicationContext } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';

/** There is one sealer for all processes: two would do no harm, and the work twice. */
const UNIT = { name: 'seals', lease: 'sealer/seals', group: 'sealers' };

export interface Sealing {
  readonly workers: readonly Worker[];
  readonly checks: readonly ReadinessCheck[];
}

/** What seals the history, in a process that follows the log anyway. */
export function sealing(app: INestApplicationContext, infrastructure: Infrastructure): Sealing {
  const { roles, readStore, clock, logger, random, metrics } = infrastructure;
  if (!roles.includes('projector')) return { workers: [], checks: [] };
  const fingerprints = new RequestFingerprints(app.get(CommandHandling), app.get(SecretCipher), random);
  const keys = new DataKeySealingKeys(fingerprints);
  const handling = app.get(CommandHandling);
  const sealer = new Sealer({ ...infrastructure, handling, keys, isRefused: () => false });
  const worker = new SealWorker({ sealer, clock, logger, metrics });
  const run = async (signal: AbortSignal) => {
    await fingerprints.load();
    await worker.run(signal);
  };
  const loaded = { name: worker.name, run };
  const checks = [worker.readinessCheck()];
  if (!isOneOfMany(roles)) return { workers: [loaded], checks };
  const start = () => {
    const supervisor = new Supervisor(infrastructure);
    supervisor.start([loaded]);
    return supervisor;
  };
  const owner = random.uuid();
  const leased = new LeasedPartitions('sealers', [UNIT], { readStore, clock, logger, owner, start, left: () => {} });
  return { workers: [leased], checks: [...checks, leased.readinessCheck()] };
}

/** The seal keys are derived from the data keys. */
class DataKeySealingKeys extends SealingKeys {
  private readonly known = new Map<string, SealingKey>();

  constructor(private readonly fingerprints: RequestFingerprints) {
    super();
  }

  override all(): readonly [SealingKey, ...SealingKey[]] {
    const keys = this.fingerprints.derivedKeys('seals').map(({ dataKeyId, key }) => {
      const opened = this.known.get(dataKeyId) ?? sealingKey(key);
      this.known.set(dataKeyId, opened);
      return opened;
    });
    return keys as unknown as readonly [SealingKey, ...SealingKey[]];
  }
}
