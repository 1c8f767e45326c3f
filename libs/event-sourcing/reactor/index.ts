export * from './fair-queue';
export * from './slot-pool';
export * from './to-do-feed';
export * from './to-do-items';
export * from './to-do-entries';
