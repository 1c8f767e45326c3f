/** What a decider decides: a fact in the past tense, with JSON data. Type names and data are a storage format. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** What is recorded about every event from the first day; the hash chains it to its predecessor in the stream. */
export interface EventMetadata {
  readonly schemaVersion: number;
  /** RFC 3339 UTC, milliseconds; within one stream it never runs backwards. */
  readonly recordedAt: string;
  /** The X-Request-ID of the request that began it all. */
  readonly correlationId: string;
  /** Id of the event that caused this one, or null where a request did. */
  readonly causationId: string | null;
  /** Who asked: `merchant:<id>`, `operator`, or `worker:<name>`. */
  readonly actor: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** An event as it is handed to a store: the exact JSON texts whose bytes are stored. */
export interface EventToAppend {
  /** A random UUID, one per decision. A re-send of the same bytes after a lost answer reuses it. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event as a store gives it back. */
export interface RecordedEvent extends EventToAppend {
  readonly streamId: string;
  /** Place in the stream, from 0, without gaps. */
  readonly revision: number;
  /** Place in the whole log; opaque but for its order, and not dense on every store. */
  readonly position: bigint;
}

/** Where and how an event was stored. */
export interface EventFacts {
  readonly id: string;
  readonly streamId: string;
  readonly revision: number;
  readonly position: bigint;
  readonly metadata: EventMetadata;
}

/** An event read back, parsed and in its latest shape. */
export type StoredEvent<E extends DomainEvent = DomainEvent> = E extends DomainEvent ? E & EventFacts : never;
