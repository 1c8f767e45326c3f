export * from './balances';
export * from './posting';
export * from './posting-of';
