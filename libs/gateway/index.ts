export * from './measured-gateway';
export * from './errors';
export * from './http';
export * from './notices';
export * from './port';
export * from './sandbox';
