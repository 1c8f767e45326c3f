export * from './fair-queue';
export * from './shared-places';
export * from './to-do-feed';
export * from './to-do-items';
export * from './to-do-places';
