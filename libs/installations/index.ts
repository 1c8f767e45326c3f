export { INSTALLATIONS_STREAM_ID } from '@app/installations/domain';
export { InstallationWatch, type InstallationWatchDependencies } from './installation-watch';
