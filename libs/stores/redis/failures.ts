import { ReadStoreUnavailableError } from '@app/event-sourcing';

/** The server's error codes in words for an operator. Other codes are self-explanatory. */
const MEANINGS: Readonly<Record<string, string>> = {
  OOM: 'Redis is full',
  READONLY: 'Redis is a read-only replica',
  LOADING: 'Redis is still loading its data',
  BUSY: 'Redis is busy with a script',
  MASTERDOWN: 'Redis has lost its master',
  MISCONF: 'Redis refuses writes because it cannot save its data',
  NOREPLICAS: 'Redis refuses writes because it has too few replicas',
  CLUSTERDOWN: 'the Redis Cluster is down',
  MOVED: 'Redis is one node of a cluster that has these keys elsewhere',
  ASK: 'Redis is one node of a cluster that is moving these keys',
  NOAUTH: 'Redis requires a password',
  WRONGPASS: 'Redis rejected the password',
  NOPERM: 'Redis does not allow the command',
};

const MAX_DETAIL = 200;

/** An error with a reason that an operator can act on. */
export function unavailable(what: string, reason: string): ReadStoreUnavailableError {
  return new ReadStoreUnavailableError(`${what}: ${reason}`);
}

/**
 * Why a command failed. The client's errors contain the command, with documents or a password in its arguments, so only
 * their messages are used.
 */
export function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'Redis failed';
  if (error.name === 'ReplyError') {
    const code = error.message.split(' ', 1)[0] ?? '';
    const detail = error.message.slice(0, MAX_DETAIL);
    return code in MEANINGS ? `${MEANINGS[code]} (${detail})` : `Redis refused the command (${detail})`;
  }
  if (error.message === 'Command timed out') return `Redis did not answer within ${timeoutMs} ms`;
  if (error.name === 'MaxRetriesPerRequestError' || error.name === 'AbortError') return 'the connection to Redis broke';
  if (error.message.startsWith("Stream isn't writeable") || error.message.startsWith('Connection is closed'))
    return 'Redis is away';
  return `Redis is away (${connectionProblem(error)})`;
}

/** The problem of a connection in a few words: the system error code if there is one. */
export function connectionProblem(error: Error): string {
  const { code, errors } = error as Error & { readonly code?: string; readonly errors?: readonly Error[] };
  if (code !== undefined) return code;
  // A name that resolves to several addresses fails with one error for each.
  return errors?.[0] === undefined ? error.message.slice(0, MAX_DETAIL) : connectionProblem(errors[0]);
}

/** The address or the server must not be used: one of their configurations has to change. */
export class RedisRefusedError extends Error {
  constructor(
    /**
     * Completes a sentence that begins with the setting's name. Never quotes the address: it may contain a password.
     */
    readonly problem: string,
  ) {
    super(`The address of Redis ${problem}`);
    this.name = 'RedisRefusedError';
  }
}
