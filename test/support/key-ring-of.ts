import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EventStore } from '@app/event-sourcing';
import { KeyRing, SecretCipher } from '@app/keys';
import { SystemClock, SystemRandom } from '@app/platform/lifecycle/system-environment';

/** The data keys of a service, opened with the master key in its DATA_DIR, to write events as the service would. */
export async function keyRingOf(dataDir: string, eventStore: EventStore): Promise<KeyRing> {
  const masterKey = Buffer.from(readFileSync(join(dataDir, 'master.key'), 'utf8').trim(), 'base64');
  const random = new SystemRandom();
  const cipher = new SecretCipher(masterKey, null, random);
  const keyRing = new KeyRing({ eventStore, cipher, clock: new SystemClock(), random });
  await keyRing.load();
  return keyRing;
}
