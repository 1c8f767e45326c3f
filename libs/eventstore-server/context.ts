import type { Clock, Random } from '@app/event-sourcing';
import type { EventLog } from '@app/stores/sqlite';
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** Where the server reports errors that clients are not shown. */
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
  /** The limit for the data in one append, in bytes. */
  readonly maxAppendBytes: number;
}

/** One gRPC service, ready to be added to the server. */
export interface ProtocolService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
  /** Optional features per method that clients may use, by the method's name in lower case. */
  readonly features: Readonly<Record<string, readonly string[]>>;
  /** Why methods of the protocol are not available here, by method name. */
  readonly refused?: Readonly<Record<string, string>>;
}
