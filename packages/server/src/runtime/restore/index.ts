// Restores the environments of bundles.
export * from './caches.ts';
export * from './create-restorer.ts';
export * from './evict.ts';
export { lastUse } from './last-use.ts';
