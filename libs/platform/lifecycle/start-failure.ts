import { ConfigurationError } from '@app/platform/configuration';

type ErrorClass = abstract new (...args: never[]) => Error;

interface SystemError {
  readonly code?: string;
  readonly port?: number;
  readonly path?: string;
  readonly address?: string;
  readonly hostname?: string;
}

/** A server cannot listen at the port that an environment variable specifies. */
class ListenError extends Error {
  constructor(
    readonly variable: string,
    override readonly cause: unknown,
  ) {
    super(`${variable} can't be listened at`, { cause });
    this.name = 'ListenError';
  }
}

/** Awaits `start`. Its failure names the variable that the operator has to change. */
export async function listenAt<T>(variable: string, start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    throw new ListenError(variable, error);
  }
}

/**
 * Runs a program until it is stopped. If it cannot start, it prints why and exits with code 1.
 *
 * @param foreseen errors whose message is written for the person who starts the program
 */
export function runProgram(main: () => Promise<void>, foreseen: readonly ErrorClass[]): void {
  main().catch((error: unknown) => {
    process.stderr.write(`${startFailure(error, foreseen)}\n`);
    process.exit(1);
  });
}

/** Why the program could not start, for the person who starts it; with a stack only if the reason is unexpected. */
export function startFailure(error: unknown, foreseen: readonly ErrorClass[] = []): string {
  if ([ConfigurationError, ...foreseen].some((known) => error instanceof known)) return (error as Error).message;
  const [variable, cause] = error instanceof ListenError ? [error.variable, error.cause] : ['PORT', error];
  const { code, port, path, address, hostname } = cause as SystemError;
  if (code === 'EADDRINUSE') return `${variable}: ${port} is in use by another program; choose another one`;
  if (code === 'EACCES' && port !== undefined) {
    return `${variable}: ${port} may not be used by this user; choose another one`;
  }
  if (code === 'EADDRNOTAVAIL' && address !== undefined) {
    return `HOST: ${address} is no address of this machine; choose one of its own, such as 127.0.0.1`;
  }
  if ((code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname !== undefined) {
    return `HOST: ${hostname} can't be resolved to an address (${code}); choose an address of this machine, such as 127.0.0.1`;
  }
  if (code !== undefined && ['EACCES', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST'].includes(code) && path !== undefined) {
    return `DATA_DIR: ${path} can't be written (${code})`;
  }
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
