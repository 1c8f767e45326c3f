import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOpened } from '@app/keys/opened-data-keys';
import { parseMasterKey } from '@app/platform/configuration';
import { DATA_KEYS_STREAM_ID, dataKeyDecider, type DataKeyEvent, type DataKeys } from '@app/keys/domain';
import { readHistory } from '@app/event-sourcing';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';
import { FollowedEventStore } from '@app/stores/sqlite/event-log/followed-event-store';

export const MASTER_KEY_FILE = 'master.key';

/** Whether the key is copied with the log, and what its owner has to know. */
export interface KeyVerdict {
  readonly isCopied: boolean;
  readonly warning: string | null;
}

const RETIRED =
  `${MASTER_KEY_FILE} in DATA_DIR does not open this log, and was left out: a rotation has retired it, or it is of another log. ` +
  'Keep the key that MASTER_KEY holds in another place: without it nobody can sign in to what was copied.';
const ROTATING = `${MASTER_KEY_FILE} opens a part of this log alone: a rotation is under way. Keep the key that MASTER_KEY holds as well.`;

/**
 * Decides whether the master key in DATA_DIR belongs to the log. The command cannot see which key the service uses, but
 * the log's data keys are encrypted with it. If that cannot be determined, the key is copied: an extra key does less
 * harm than a missing one.
 */
export async function judgeMasterKey(dataDir: string, copy: string): Promise<KeyVerdict> {
  const file = join(dataDir, MASTER_KEY_FILE);
  if (!existsSync(file)) return { isCopied: false, warning: null };
  try {
    const dataKeys = await readDataKeys(copy);
    const parsed = parseMasterKey(readFileSync(file, 'utf8').trim());
    const opened = 'value' in parsed ? countOpened(parsed.value, dataKeys, new SystemRandom()) : 0;
    if (opened === dataKeys.length) return { isCopied: true, warning: null };
    return opened === 0 ? { isCopied: false, warning: RETIRED } : { isCopied: true, warning: ROTATING };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { isCopied: true, warning: `Whether ${MASTER_KEY_FILE} opens this log could not be found out: ${why}` };
  }
}

async function readDataKeys(folder: string): Promise<DataKeys> {
  const store = FollowedEventStore.openCopy(folder, new SystemClock());
  try {
    const recorded = await store.readStream(DATA_KEYS_STREAM_ID);
    const { schemas, initialState, passesOverForeign } = dataKeyDecider;
    const events = readHistory<DataKeyEvent>(recorded, schemas, { passesOverForeign });
    return events.reduce((keys, event) => dataKeyDecider.evolve(keys, event), initialState);
  } finally {
    await store.close();
  }
}
