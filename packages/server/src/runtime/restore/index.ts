// Restores the environments that bundles ask for.
export * from './caches.ts';
export * from './create-restorer.ts';
export * from './evict.ts';
export { lastUse } from './last-use.ts';
