import type { Clock, Random } from '@app/event-sourcing';
import type { EventLog } from '@app/stores/sqlite';
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** Where the server reports what clients are not told. */
export interface Report {
  /** A handler failed unexpectedly. */
  failure(path: string, error: unknown): void;
}

/** What every handler needs. */
export interface ServerContext {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: Report;
  /** Fires when the server stops, which ends open-ended work. */
  readonly stopping: AbortSignal;
  /** Bytes of data in one append. */
  readonly maxAppendBytes: number;
}

/** One gRPC service, ready to be added to the server. */
export interface ProtocolService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
  /** The features that clients may use beyond a method's first version, by the method's name in lower case. */
  readonly features: Readonly<Record<string, readonly string[]>>;
  /** Why a method of the protocol is not available here, by its name. */
  readonly refused?: Readonly<Record<string, string>>;
}
