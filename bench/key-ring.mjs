// The data keys of a data folder's log, as the service that runs on it would open them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const { KeyRing, SecretCipher } = require('../dist/libs/keys');
const { SystemClock, SystemRandom } = require('../dist/libs/platform/lifecycle');

/** Loads the keys, and makes them and the folder's master key if there are none yet. */
export async function keyRingOf(dataDir, eventStore) {
  const random = new SystemRandom();
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) writeFileSync(file, Buffer.from(random.bytes(32)).toString('base64'), { mode: 0o600 });
  const cipher = new SecretCipher(Buffer.from(readFileSync(file, 'utf8'), 'base64'), null, random);
  const keyRing = new KeyRing({ eventStore, cipher, clock: new SystemClock(), random });
  await keyRing.load();
  return keyRing;
}
