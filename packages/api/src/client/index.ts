export * from './base-url.ts';
export type * from './client.ts';
export * from './clock.ts';
export * from './create-client.ts';
export { isMissingEndpoint, nullIfHidden } from './dialects.ts';
export * from './failures.ts';
export { FAILURE_TEXTS } from './failure-texts.ts';
export { HINTS, NOT_TRUSTED } from './hints.ts';
export { isAt } from './is-at.ts';
export type * from './methods.ts';
export { nearest } from './nearest.ts';
export { nodeConnection } from './node-connection.ts';
export {
  DEFAULT_TIMEOUTS,
  type ConnectionResponse,
  type ConnectionFactory,
  type ConnectionRequest,
  type Timeouts,
} from './transport.ts';
export { undiciConnection } from './undici-connection.ts';
export { VERSION } from './version.ts';
export { whenSlow } from './when-slow.ts';
export { whoAmI } from './who-am-i.ts';
