export { BuildOrder } from './build-order';
export { type BuildReason, FailedEventError, type ProjectorDependencies, type ProjectorObserver } from './ports';
export { runProjector } from './projector';
export { stopCommit } from './stop-commit';
