import type { Clock, Random } from '@app/kernel';
import type { EventLog } from '@app/storage/embedded';
import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** Where the server tells what clients are not told. */
export interface Report {
  /** A handler failed in a way that nobody foresaw. */
  failure(path: string, error: unknown): void;
}

/** What every handler needs. */
export interface ServerContext {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: Report;
  /** Fires when the server stops: whatever would go on for ever ends then. */
  readonly stopping: AbortSignal;
  /** Bytes of data, summed up over one append. */
  readonly maxAppendBytes: number;
}

/** One gRPC service, ready to be added to the server. */
export interface ProtocolService {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
  /** What clients may ask for beyond a method's first version, by the method's name in lower case. */
  readonly features: Readonly<Record<string, readonly string[]>>;
  /** Why a method that the protocol has can't be used here, by its name. */
  readonly refused?: Readonly<Record<string, string>>;
}
