// Compares secrets in constant time.
import { hash, timingSafeEqual } from 'node:crypto';

/** @param given header of a request */
export function isSameSecret(given: string | string[] | undefined, wanted: string): boolean {
  // Digests have one length, whatever is given.
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(wanted));
}
