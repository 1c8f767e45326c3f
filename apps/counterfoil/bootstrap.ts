import { ensureSandboxMerchant, type SandboxMerchant } from '@app/merchants/commands/sandbox-merchant';
import { MasterKeyRotation } from '@app/merchants/commands/master-key-rotation';
import { MerchantDirectory } from '@app/merchants/commands/directory';
import { MerchantRegistration } from '@app/merchants/commands/registration';
import { RequestFingerprints } from '@app/keys/fingerprints';
import type { INestApplicationContext } from '@nestjs/common';
import type { Infrastructure } from './infrastructure';
import { knowsMerchants } from './role';

/** What has to be read before anything can be answered or worked on. May be repeated. */
export async function loadFromLog(app: INestApplicationContext, { roles }: Infrastructure): Promise<'loaded'> {
  if (roles.includes('api')) await app.get(RequestFingerprints).load();
  if (knowsMerchants(roles)) await app.get(MerchantDirectory).refresh();
  return 'loaded';
}

/** With a previous master key given: re-encrypts under the current one, and says when the previous one is no longer needed. */
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

/** Registered once the API listens: a start that comes to nothing must not use up showing the credentials. */
export async function sandboxMerchant(
  app: INestApplicationContext,
  { configuration, random, roles }: Infrastructure,
): Promise<SandboxMerchant | null> {
  if (configuration.mode !== 'development' || !roles.includes('api')) return null;
  const registration = app.get(MerchantRegistration);
  return ensureSandboxMerchant({ registration, random }, configuration.dataDir);
}
