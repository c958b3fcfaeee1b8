// Paths that a process must be able to read for its interpreter and packages.
import type { Environment } from './engine.ts';

export function readableOf({
  readable,
  interpreter = [],
}: Pick<Environment, 'readable' | 'interpreter'>): string[] {
  return [...readable, ...interpreter];
}
