export * from './measured-gateway';
export * from './errors';
export * from './port';
export * from './sandbox';
