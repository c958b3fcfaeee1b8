// For programs: the client, deploy(), and their errors. Everything else is in the subpaths contract, client, publish,
// usage, sign-in and backup.
export { createClient } from './client/create-client.ts';
export type { Client, ClientOptions, Notice } from './client/client.ts';
export {
  InvalidResponseError,
  ClientOptionsError,
  isCallFailure,
  NoResponseError,
  RefusedError,
  type CallFailure,
} from './client/failures.ts';
export type { CallOptions, ContentItem } from './client/methods.ts';
export { ERRORS, isErrorCode, type ErrorCode } from './contract/errors/table.ts';
export { BundleError, type BundleErrorCode } from './publish/collect/bundle-error.ts';
export { deploy } from './publish/deploy/deploy.ts';
export type { DeployEvent, DeployOptions } from './publish/deploy/deploy-events.ts';
export { ContentGoneError, ContentLockedError } from './publish/deploy/target.ts';
export { DamagedUploadError } from './publish/deploy/upload.ts';
export { RecordError } from './publish/records/record.ts';
