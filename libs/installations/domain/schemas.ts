import type { EventSchemas } from '@app/event-sourcing';
import type { InstallationAnnounced } from './events';

/** The current schema version of every event in the installations' stream, with upcasters for older versions. */
export const installationSchemas: EventSchemas<InstallationAnnounced> = { InstallationAnnounced: { version: 1 } };
