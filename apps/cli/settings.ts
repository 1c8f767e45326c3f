import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { httpUrl, isLoopback } from '@app/platform/configuration';
import { readAddress } from '@app/platform/lifecycle/service-address';
import { CliError, EXIT } from './cli-error';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A path as the user means it. npm runs scripts in the package's directory and passes the caller's directory in INIT_CWD.
 */
export function pathOf(file: string, environment: Environment): string {
  return resolve(environment['INIT_CWD'] ?? '.', file);
}

/** The DATA_DIR that the service would use. Absolute. */
export function dataDirOf(environment: Environment): string {
  return resolve(environment['DATA_DIR'] || 'data');
}

/**
 * The service's URL: from `COUNTERFOIL_URL`, else from the service's own `PUBLIC_URL` or `HOST` and `PORT`, else from
 * the address that the service running on DATA_DIR has written there. Without a trailing slash.
 */
export function serviceUrlOf(environment: Environment): string {
  const given = environment['COUNTERFOIL_URL'] || environment['PUBLIC_URL'];
  if (given) {
    if (/^https?:\/\/[^/]/.test(given) && URL.canParse(given)) return given.replace(/\/+$/, '');
    const name = environment['COUNTERFOIL_URL'] ? 'COUNTERFOIL_URL' : 'PUBLIC_URL';
    throw new CliError(`${name}: must be an http:// or https:// URL`, EXIT.usage);
  }
  const { HOST: host, PORT: port } = environment;
  const told = host || port ? null : readAddress(dataDirOf(environment));
  return told?.url ?? httpUrl(host || '127.0.0.1', port || '3000');
}

/** A warning if the token could be read on the way to the service; otherwise null. */
export function warningOf(serviceUrl: string, token = "the operator's token"): string | null {
  const { protocol, hostname } = new URL(serviceUrl);
  if (protocol === 'https:' || isLoopback(hostname)) return null;
  return `Warning: ${token} goes to ${hostname} in the clear. Use https://, or run this where the service is.`;
}

/** `OPERATOR_TOKEN`, or the token that the service keeps in DATA_DIR in development. @throws CliError */
export function operatorTokenOf(environment: Environment): string {
  const given = environment['OPERATOR_TOKEN'];
  if (given) return given;
  const file = join(dataDirOf(environment), 'operator.token');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new CliError(
      `There is no operator token: ${file} could not be read (${code}).\n` +
        `Set OPERATOR_TOKEN, or DATA_DIR to the folder of the running service.`,
    );
  }
}
