export * from './errors/table.ts';
export * from './errors/api-error.ts';
export * from './contract/index.ts';
