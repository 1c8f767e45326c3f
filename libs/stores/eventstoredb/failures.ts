import { EventStoreUnavailableError } from '@app/event-sourcing';
import { type ServiceError, status } from '@grpc/grpc-js';

/** Why a call to the store failed, as error messages name it. */
export type FailureReason =
  | 'unavailable'
  | 'not leader'
  | 'deadline'
  | 'busy'
  | 'wrong credentials'
  | 'may not read'
  | 'may not write'
  | TransportProblem
  | 'not supported'
  | 'refused'
  | 'closed';

/** Why two reachable peers cannot talk; waiting does not help. */
export type TransportProblem = 'untrusted certificate' | 'no TLS there' | 'TLS there';

/** The classified cause of an `EventStoreUnavailableError`. Its own cause is the error of the client or the server. */
export class EventStoreDbFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EventStoreDbFailure';
  }

  /** Whether the same call may succeed a moment later. */
  get isTransient(): boolean {
    return TRANSIENT.has(this.reason);
  }
}

const TRANSIENT: ReadonlySet<FailureReason> = new Set(['unavailable', 'not leader', 'deadline', 'busy']);

/** The server reports most errors twice: in a trailer for its clients, and as a status. */
const BY_EXCEPTION: Readonly<Record<string, FailureReason>> = {
  'not-leader': 'not leader',
  'access-denied': 'may not read',
  'stream-deleted': 'refused',
};

const BY_STATUS: Readonly<Partial<Record<status, FailureReason>>> = {
  [status.ABORTED]: 'deadline',
  [status.DEADLINE_EXCEEDED]: 'deadline',
  [status.UNAUTHENTICATED]: 'wrong credentials',
  [status.PERMISSION_DENIED]: 'may not read',
  [status.UNIMPLEMENTED]: 'not supported',
  [status.INVALID_ARGUMENT]: 'refused',
  [status.RESOURCE_EXHAUSTED]: 'refused',
};

/** The failure that an append's error means. */
export function appendFailureOf(error: unknown): EventStoreDbFailure {
  const failure = failureOf(error);
  if (failure.reason !== 'may not read') return failure;
  return new EventStoreDbFailure('may not write', failure.message, { cause: failure.cause });
}

/**
 * The failure that an error means; an append's may mean another (`appendFailureOf`). Any unknown error is a lost
 * connection.
 */
export function failureOf(error: unknown): EventStoreDbFailure {
  if (error instanceof EventStoreDbFailure) return error;
  const exception = trailerOf(error, 'exception');
  const reason =
    BY_EXCEPTION[exception ?? ''] ?? (isServiceError(error) ? BY_STATUS[error.code] : undefined) ?? 'unavailable';
  return new EventStoreDbFailure(reason, error instanceof Error ? error.message : String(error), { cause: error });
}

/** Whether the server answered that the stream has been deleted. */
export function saysStreamDeleted({ cause }: EventStoreDbFailure): boolean {
  return trailerOf(cause, 'exception') === 'stream-deleted';
}

/**
 * What the port throws: a failure of the store as its unavailability, with the failure as cause; other errors
 * unchanged.
 */
export function portError(what: string, error: unknown): unknown {
  if (!(error instanceof EventStoreDbFailure)) return error;
  return new EventStoreUnavailableError(`${what}: ${error.reason} (${error.message})`, { cause: error });
}

/** What an operator has to fix, without secrets; null if the failure may pass by itself. */
export function obstacleIn({ cause }: EventStoreUnavailableError): string | null {
  if (!(cause instanceof EventStoreDbFailure)) return null;
  switch (cause.reason) {
    case 'wrong credentials':
      return 'the event store rejects the user and password in EVENTSTORE_URL';
    case 'may not read':
      return 'the user in EVENTSTORE_URL has no right to read $all, or the streams of this service';
    case 'may not write':
      return 'the user in EVENTSTORE_URL has no right to write the streams of this service';
    case 'untrusted certificate':
      return `the certificate of the event store is not trusted (${cause.message}): see tlsCAFile in EVENTSTORE_URL`;
    case 'no TLS there':
      return 'the event store does not use TLS, but EVENTSTORE_URL requires it';
    case 'TLS there':
      return 'the event store uses TLS, but EVENTSTORE_URL has tls=false';
    default:
      return null;
  }
}

/** The error's trailer; null when there is none. */
export function trailerOf(error: unknown, name: string): string | null {
  if (!isServiceError(error)) return null;
  // The type promises metadata; errors made by the client have none.
  const metadata = error.metadata as ServiceError['metadata'] | undefined;
  return metadata?.get(name)[0]?.toString() ?? null;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && typeof (error as Partial<ServiceError>).code === 'number';
}
