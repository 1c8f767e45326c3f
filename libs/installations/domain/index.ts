import type { Decider } from '@app/event-sourcing';
import type { InstallationAnnounced } from './events';
import { type AnnounceInstallation, decide, evolve, type Installations } from './installations';
import { installationSchemas } from './schemas';

export * from './events';
export { INSTALLATIONS_STREAM_ID } from './installations';
export type { AnnounceInstallation, Announcement, Installations } from './installations';
export { installationSchemas } from './schemas';

export const installationDecider: Decider<Installations, AnnounceInstallation, InstallationAnnounced, never> = {
  schemas: installationSchemas,
  initialState: [],
  passesOverForeign: true,
  evolve,
  decide,
};
