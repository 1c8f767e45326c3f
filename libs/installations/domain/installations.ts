import { accepted, type Decision, type StoredEvent } from '@app/event-sourcing';
import type { InstallationAnnounced } from './events';

/** The stream in which installations announce themselves. */
export const INSTALLATIONS_STREAM_ID = 'installations';

/** How many of the latest announcements are kept. Checking every few seconds misses none of them. */
const MAX_KNOWN = 50;

export interface Announcement {
  readonly installationId: string;
  readonly revision: number;
}

/** The latest announcements, in order. */
export type Installations = readonly Announcement[];

/** Makes this installation the latest one announced. */
export interface AnnounceInstallation {
  readonly type: 'AnnounceInstallation';
  readonly installationId: string;
}

/** If several processes of one installation announce it at once, only one event is written. */
export function decide(
  { installationId }: AnnounceInstallation,
  installations: Installations,
): Decision<InstallationAnnounced, never> {
  if (installations.at(-1)?.installationId === installationId) return accepted();
  return accepted({ type: 'InstallationAnnounced', data: { installationId } });
}

export function evolve(
  installations: Installations,
  { data, revision }: StoredEvent<InstallationAnnounced>,
): Installations {
  return [...installations, { installationId: data.installationId, revision }].slice(-MAX_KNOWN);
}
