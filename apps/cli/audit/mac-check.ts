import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { VerificationOptions } from '@app/audit/verify/verification';
import { DamagedHistoryError, type EventStore } from '@app/event-sourcing';
import { DamagedSecretError, KeyRing, SecretCipher, WrongMasterKeyError } from '@app/keys';
import { parseMasterKey } from '@app/platform/configuration';
import { MASTER_KEY_FILE } from '../backup-key';
import { logFolder, type OpenLogDependencies } from './open-log';

/** With the master key of the log at hand, MACs are checked too; without it the report says that they are not. */
export async function macCheck(
  eventStore: EventStore,
  location: string | undefined,
  { clock, random, environment }: OpenLogDependencies,
): Promise<Pick<VerificationOptions, 'macProblem'>> {
  const masterKey = keyIn(environment['MASTER_KEY'] ?? keyFile(logFolder(location, environment)));
  if (masterKey === null) return {};
  const cipher = new SecretCipher(masterKey, keyIn(environment['MASTER_KEY_PREVIOUS']), random);
  const keyRing = new KeyRing({ eventStore, cipher, clock, random });
  try {
    await keyRing.refresh();
  } catch (error) {
    const isOther =
      error instanceof WrongMasterKeyError ||
      error instanceof DamagedSecretError ||
      error instanceof DamagedHistoryError;
    if (!isOther) throw error;
    return {};
  }
  return {
    macProblem: (event, metadata) => {
      const verdict = keyRing.check(event, metadata);
      if (verdict.kind === 'PROVEN') return null;
      return verdict.kind === 'FORGED' ? verdict.reason : 'its MAC is under a key that the installation does not have';
    },
  };
}

function keyFile(folder: string | null): string | undefined {
  const file = folder === null ? null : join(folder, MASTER_KEY_FILE);
  if (file === null || !existsSync(file)) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    // An auditor may read the log and not the key.
    return undefined;
  }
}

function keyIn(text: string | undefined): Uint8Array | null {
  const parsed = text ? parseMasterKey(text) : null;
  return parsed !== null && 'value' in parsed ? parsed.value : null;
}
