/*
 * Stored events are a storage format: never rename a type or a field, never change a meaning. Add optional fields only;
 * otherwise raise the schema version in ./schemas.ts, add an upcaster and a spec that holds the old JSON.
 */
import type { DomainEvent } from '@app/event-sourcing';

/** Processes with one read store work on this log. */
export type InstallationAnnounced = DomainEvent<'InstallationAnnounced', { readonly installationId: string }>;
