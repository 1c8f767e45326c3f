export * from './errors';
export * from './port';
export * from './sandbox';
