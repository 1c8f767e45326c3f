/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** Somebody may read everything, with one token, until it expires or is revoked. */
export type AuditorRegistered = DomainEvent<
  'AuditorRegistered',
  {
    readonly auditorId: string;
    /** The operator's name for the auditor. */
    readonly name: string;
    /** SHA-256 of the token, hex. A token has 256 random bits, so a plain hash can't be reversed. */
    readonly tokenHash: string;
    readonly expiresAt: string;
  }
>;

/** The auditor's token is no longer accepted. */
export type AuditorRevoked = DomainEvent<'AuditorRevoked', { readonly auditorId: string }>;

export type AuditorEvent = AuditorRegistered | AuditorRevoked;

/** An auditor has asked for something, and was given it or not. Written before the answer. */
export type AuditRead = DomainEvent<
  'AuditRead',
  {
    readonly auditorId: string;
    /** The path's pattern: `/audit/v1/events`. */
    readonly operation: string;
    /** The parameters of the path and the query, as they were sent, in the order of their names. */
    readonly parameters: readonly (readonly [name: string, value: string])[];
    /** How many things were given: events of a page, or 1 for a single answer. */
    readonly items: number;
    /** Of the first and the last event in a page of events, in decimal: what a cursor stands for. */
    readonly positions?: readonly [first: string, last: string];
    /** Why nothing was given; absent if it was. */
    readonly error?: string;
  }
>;
