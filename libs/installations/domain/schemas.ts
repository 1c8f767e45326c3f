import type { EventSchemas } from '@app/event-sourcing';
import type { InstallationAnnounced } from './events';

/** The current schema version of every event in the installations' stream, with the steps that lift older ones. */
export const installationSchemas: EventSchemas<InstallationAnnounced> = { InstallationAnnounced: { version: 1 } };
