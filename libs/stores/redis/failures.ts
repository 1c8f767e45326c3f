import { ReadStoreUnavailableError } from '@app/event-sourcing';

/** What the server's error codes mean for whoever operates the service. Other codes speak for themselves. */
const MEANINGS: Readonly<Record<string, string>> = {
  OOM: 'Redis is full',
  READONLY: 'Redis is a replica that takes no writes',
  LOADING: 'Redis is still loading its data',
  BUSY: 'Redis is busy with a script',
  MASTERDOWN: 'Redis has lost its master',
  MISCONF: 'Redis takes no writes since it can not save its data',
  NOREPLICAS: 'Redis takes no writes since it has too few replicas',
  CLUSTERDOWN: 'the Redis Cluster is down',
  MOVED: 'Redis is one node of a cluster that has its keys elsewhere',
  ASK: 'Redis is one node of a cluster that is moving its keys',
  NOAUTH: 'Redis wants a password',
  WRONGPASS: 'Redis does not take the password',
  NOPERM: 'Redis does not allow the command',
};

const MAX_DETAIL = 200;

/** Makes the read store unavailable for a reason that an operator can act on. */
export function unavailable(what: string, reason: string): ReadStoreUnavailableError {
  return new ReadStoreUnavailableError(`${what}: ${reason}`);
}

/**
 * Why a command failed. The client's errors carry the command, with documents or a password in its arguments: no more than
 * their messages is passed on.
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

/** What is wrong with a connection, in a few words: its system error where there is one. */
export function connectionProblem(error: Error): string {
  const { code, errors } = error as Error & { readonly code?: string; readonly errors?: readonly Error[] };
  if (code !== undefined) return code;
  // An address that stands for several fails with an error for each.
  return errors?.[0] === undefined ? error.message.slice(0, MAX_DETAIL) : connectionProblem(errors[0]);
}

/** The configuration has to change, or the server's. */
export class RedisRefusedError extends Error {
  constructor(
    /** The rest of a sentence that begins with the setting that holds the address. Never quotes it: it may hold a password. */
    readonly problem: string,
  ) {
    super(`The address of Redis ${problem}`);
    this.name = 'RedisRefusedError';
  }
}
