export { INSTALLATIONS_STREAM_ID } from '@app/domain/installation';
export { InstallationWatch, type InstallationWatchDependencies } from './installation-watch';
