export * from './base-url.ts';
export type * from './client.ts';
export * from './clock.ts';
export * from './create-client.ts';
export * from './failures.ts';
export type * from './methods.ts';
export { nodeConnection } from './node-connection.ts';
export { DEFAULT_TIMEOUTS, type ConnectionFactory, type Timeouts } from './transport.ts';
export { whoAmI } from './who-am-i.ts';
