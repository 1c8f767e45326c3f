import { AuditorDirectory } from '@app/auditors/commands/directory';
import { ensureSandboxMerchant, type SandboxMerchant } from '@app/merchants/commands/sandbox-merchant';
import { MasterKeyRotation } from '@app/merchants/commands/master-key-rotation';
import { MerchantDirectory } from '@app/merchants/commands/directory';
import { MerchantRegistration } from '@app/merchants/commands/registration';
import type { INestApplicationContext } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { knowsMerchants } from './role';

/** Reads from the log what is needed before any request or work. May be repeated. */
export async function loadFromLog(app: INestApplicationContext, { roles, keyRing }: Infrastructure): Promise<'loaded'> {
  await keyRing.load();
  if (roles.includes('api')) await app.get(AuditorDirectory).refresh();
  if (knowsMerchants(roles)) await app.get(MerchantDirectory).refresh();
  return 'loaded';
}

/**
 * If a previous master key is set: re-encrypts under the current one, and logs when the previous one is not needed any
 * more.
 */
export async function finishMasterKeyRotation(
  app: INestApplicationContext,
  { logger, roles }: Infrastructure,
): Promise<void> {
  if (!roles.includes('api')) return;
  const outcome = await app.get(MasterKeyRotation).finish();
  if (outcome === null) return;
  if (outcome.left === 0)
    logger.info('everything is encrypted under MASTER_KEY: MASTER_KEY_PREVIOUS can be removed', { ...outcome });
  else
    logger.warn('another process still encrypts under MASTER_KEY_PREVIOUS: keep it, and start again', { ...outcome });
}

/** Registered only once the API listens: the credentials are shown once, and a failed start must not use that up. */
export async function sandboxMerchant(
  app: INestApplicationContext,
  { configuration, random, roles }: Infrastructure,
): Promise<SandboxMerchant | null> {
  if (configuration.mode !== 'development' || !roles.includes('api')) return null;
  const registration = app.get(MerchantRegistration);
  return ensureSandboxMerchant({ registration, random }, configuration.dataDir);
}
