/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Only add optional fields;
 * for anything else raise the schema version in ./schemas.ts, and add an upcaster and a spec with the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** The processes that share one read store use this log. */
export type InstallationAnnounced = DomainEvent<'InstallationAnnounced', { readonly installationId: string }>;
