import { type ReadStoreInspection, ReadStoreUnavailableError } from '@app/event-sourcing';
import { RedisReadStore, RedisRefusedError } from '@app/stores/redis';
import { SqliteInspection } from '@app/stores/sqlite';
import { CliError, EXIT } from '../cli-error';
import { dataDirOf } from '../settings';
import type { AuditContext } from '.';

export const READ_MODELS_HELP = `The read models are those of the service: in Redis with REDIS_URL (and PROJECTION_PARTITIONS), else in the folder DATA_DIR
(./data by default). They are read beside the running service, and not changed.`;

/** Opens the read models for reading alone. @throws CliError */
export async function openReadModels({ environment }: AuditContext): Promise<ReadStoreInspection> {
  const url = environment['REDIS_URL'];
  try {
    if (url) return await RedisReadStore.openInspection({ url });
    return SqliteInspection.open(dataDirOf(environment));
  } catch (error) {
    if (error instanceof RedisRefusedError) throw new CliError(`REDIS_URL ${error.problem}.`, EXIT.usage);
    if (error instanceof ReadStoreUnavailableError) throw new CliError(`${error.message}.`, EXIT.unreachable);
    throw error;
  }
}

/** @throws CliError */
export function partitionCount({ environment }: AuditContext): number {
  const text = environment['PROJECTION_PARTITIONS'] || '1';
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= 64) return count;
  throw new CliError('PROJECTION_PARTITIONS must be a whole number from 1 to 64.', EXIT.usage);
}
