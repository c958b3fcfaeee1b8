export * from './deploy.ts';
export type * from './deploy-events.ts';
export * from './content-name.ts';
export * from './record.ts';
export { DamagedUploadError } from './upload.ts';
export { ContentGoneError } from './target.ts';
export * from './watch-task.ts';
export * from './diagnose.ts';
export type { HandOver } from './hand-over.ts';
