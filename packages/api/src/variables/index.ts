export * from './read-variables.ts';
