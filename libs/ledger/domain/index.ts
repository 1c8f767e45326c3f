export * from './balances';
export * from './journal';
export * from './posting';
export * from './posting-of';
