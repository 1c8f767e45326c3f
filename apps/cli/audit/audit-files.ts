import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rawPublicKey } from '@app/audit/signatures';
import { readTrustedHead, type TrustedHead } from '@app/audit/verify/trusted-head';
import { CliError } from '../cli-error';
import { pathOf } from '../settings';

type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a file that the user named. @throws CliError */
export function readText(file: string, environment: Environment): string {
  try {
    return readFileSync(pathOf(file, environment), 'utf8');
  } catch (error) {
    throw new CliError(`${file} can't be read: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  }
}

/** The raw public key of a PEM file, base64. @throws CliError */
export function readPublicKey(file: string, environment: Environment): string {
  const text = readText(file, environment);
  try {
    const key = createPublicKey(text);
    if (key.asymmetricKeyType === 'ed25519') return rawPublicKey(key);
  } catch {
    // Told below.
  }
  throw new CliError(`${file} does not hold an Ed25519 public key in PEM form.`);
}

/** @throws CliError */
export function readHead(file: string, environment: Environment): TrustedHead {
  const head = readTrustedHead(readText(file, environment));
  if (head === null) throw new CliError(`${file} was not written by --save-head.`);
  return head;
}
