/** A decided fact, in the past tense, with JSON data. Type names and data are a storage format. */
export interface DomainEvent<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** The metadata of every event. The hash chains it to its predecessor in the stream. */
export interface EventMetadata {
  readonly schemaVersion: number;
  /** RFC 3339 UTC with milliseconds. Never runs backwards within a stream. */
  readonly recordedAt: string;
  /** The X-Request-ID of the original request. */
  readonly correlationId: string;
  /** Id of the event that caused this one; null if a request did. */
  readonly causationId: string | null;
  /** Who acted: `merchant:<id>`, `auditor:<id>`, `operator` or `worker:<name>`. */
  readonly actor: string;
  readonly previousHash: string;
  /** The key of `mac`. */
  readonly macKeyId: string;
  /** HMAC-SHA-256 over the event's content, as 64 lower-case hex digits: only this installation can make it. */
  readonly mac: string;
  /** SHA-256 over content and MAC, as 64 lower-case hex digits. */
  readonly hash: string;
}

/** An event to be stored. `data` and `metadata` are JSON and are stored byte for byte. */
export interface EventToAppend {
  /** A random UUID. Reused when the same event is sent again after a lost answer. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}

/** An event as the store returns it. */
export interface RecordedEvent extends EventToAppend {
  readonly streamId: string;
  /** Place in the stream, from 0, without gaps. */
  readonly revision: number;
  /** Place in the whole log. Opaque except for its order; some stores leave gaps. */
  readonly position: bigint;
  /** Why the event cannot be one that this installation wrote; absent if it is, or if that is not checked here. */
  readonly forgery?: string;
}

/** Where and how an event was stored. */
export interface EventFacts {
  readonly id: string;
  readonly streamId: string;
  readonly revision: number;
  readonly position: bigint;
  readonly metadata: EventMetadata;
}

/** An event read back, parsed and upcast to its current schema version. */
export type StoredEvent<E extends DomainEvent = DomainEvent> = E extends DomainEvent ? E & EventFacts : never;
