export * from './errors/table.ts';
export * from './errors/api-error.ts';
export * from './contract/index.ts';
export * from './bundle/index.ts';
export * from './client/index.ts';
export * from './deploy/index.ts';
export * from './problems/index.ts';
export * from './openapi.ts';
export { apiPage } from './docs/api-page.ts';
