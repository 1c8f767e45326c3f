import { Sealer } from '@app/audit/sealer/sealer';
import { SealWorker } from '@app/audit/sealer/seal-worker';
import { type SealingKey, sealingKey, SealingKeys } from '@app/audit/sealer/sealing-keys';
import { assert, CommandHandling, type RecordedEvent } from '@app/event-sourcing';
import type { KeyRing } from '@app/keys';
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
  const { roles, readStore, clock, logger, random, metrics, keyRing } = infrastructure;
  if (!roles.includes('projector')) return { workers: [], checks: [] };
  const handling = app.get(CommandHandling);
  const isRefused = ({ forgery }: RecordedEvent) => forgery !== undefined;
  const sealer = new Sealer({ ...infrastructure, handling, keys: new KeyRingSealingKeys(keyRing), isRefused });
  const worker = new SealWorker({ sealer, clock, logger, metrics });
  const checks = [worker.readinessCheck()];
  if (!isOneOfMany(roles)) return { workers: [worker], checks };
  const start = () => {
    const supervisor = new Supervisor(infrastructure);
    supervisor.start([worker]);
    return supervisor;
  };
  const owner = random.uuid();
  const leased = new LeasedPartitions('sealers', [UNIT], { readStore, clock, logger, owner, start, left: () => {} });
  return { workers: [leased], checks: [...checks, leased.readinessCheck()] };
}

/** The seeds of the seal keys are data keys. */
class KeyRingSealingKeys extends SealingKeys {
  private readonly known = new Map<string, SealingKey>();

  constructor(private readonly keyRing: KeyRing) {
    super();
  }

  override all(): readonly [SealingKey, ...SealingKey[]] {
    const [current, ...older] = this.keyRing.keysFor('SEALS').map(({ dataKeyId, key }) => {
      const opened = this.known.get(dataKeyId) ?? sealingKey(key.export());
      this.known.set(dataKeyId, opened);
      return opened;
    });
    assert(current, 'there is always a current seal key');
    return [current, ...older];
  }
}
