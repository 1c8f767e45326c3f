export { BuildOrder } from './build-order';
export { type BuildReason, PoisonEventError, type ProjectorDependencies, type ProjectorObserver } from './ports';
export { runProjector } from './projector';
export { stopCommit } from './stop-commit';
