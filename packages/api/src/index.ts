export * from './errors/table.ts';
export * from './errors/api-error.ts';
