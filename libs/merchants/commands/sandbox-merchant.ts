import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isMerchantId } from '@app/merchants/domain';
import type { Random } from '@app/event-sourcing';
import { makeCredentials, type MerchantCredentials } from './credentials';
import type { MerchantRegistration } from './registration';

export interface SandboxMerchantDependencies {
  readonly registration: MerchantRegistration;
  readonly random: Random;
}

export interface SandboxMerchant {
  readonly credentials: MerchantCredentials;
  /** Whether it was just registered, so that its credentials should be shown. */
  readonly created: boolean;
}

/** `sandbox.json` is unusable: the person starting the service has to look at it. */
export class SandboxFileError extends Error {
  constructor(path: string, why: string) {
    super(`${path} ${why}. Remove it: the next start makes a new sandbox merchant`);
    this.name = 'SandboxFileError';
  }
}

const FILE_NAME = 'sandbox.json';
const NAME = 'Sandbox merchant';

/**
 * Ensures that there is a merchant to try the service with, and that `dataDir/sandbox.json` (mode 0600) holds its
 * credentials. The file is written first and the registration uses its contents, so the next start repairs a crash
 * between the two, or another log beside the same file. If several processes start at the same time on one folder, all
 * use the file of the first.
 *
 * @throws SandboxFileError, EventStoreUnavailableError
 */
export async function ensureSandboxMerchant(
  { registration, random }: SandboxMerchantDependencies,
  dataDir: string,
): Promise<SandboxMerchant> {
  const path = join(dataDir, FILE_NAME);
  const credentials = (await readCredentials(path)) ?? (await makeCredentialsFile(path, dataDir, random));
  const context = { correlationId: random.uuid(), causationId: null, actor: 'worker:sandbox-merchant' };
  const outcome = await registration.register(context, NAME, credentials);
  if (outcome === 'MERCHANT_EXISTS') {
    throw new SandboxFileError(path, `names merchant ${credentials.merchantId}, whose access token is another one`);
  }
  return { credentials, created: outcome === 'registered' };
}

async function readCredentials(path: string): Promise<MerchantCredentials | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const credentials = parseCredentials(text);
  if (credentials === null) throw new SandboxFileError(path, 'does not hold the credentials of a merchant');
  return credentials;
}

function parseCredentials(text: string): MerchantCredentials | null {
  let parsed: Partial<Record<keyof MerchantCredentials, unknown>> | null;
  try {
    parsed = JSON.parse(text) as typeof parsed;
  } catch {
    return null;
  }
  const { merchantId, accessToken, signingSecret, webhookSecret } = parsed ?? {};
  if (!isText(merchantId) || !isMerchantId(merchantId)) return null;
  if (!isText(accessToken) || !isText(signingSecret) || !isText(webhookSecret)) return null;
  return { merchantId, accessToken, signingSecret, webhookSecret };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Atomic: a reader never sees half a file, not even after a power loss. A hard link, unlike a rename, fails if the name
 * is taken, so credentials that another process may already have shown are never replaced.
 */
async function makeCredentialsFile(path: string, dataDir: string, random: Random): Promise<MerchantCredentials> {
  const credentials = makeCredentials(random);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${random.uuid()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const theirs = await readCredentials(path);
    if (theirs !== null) return theirs;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  const directory = await open(dataDir, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
  return credentials;
}
