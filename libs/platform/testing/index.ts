export * from './manual-clock';
export * from './recording-logger';
export * from './seeded-random';
export * from './recording-findings';
export * from './property-runs';
