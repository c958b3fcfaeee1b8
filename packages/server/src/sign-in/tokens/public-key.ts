// Public keys of programs that sign their requests: accepted kinds, and stored form.
import { createPublicKey, hash } from 'node:crypto';
import { readBase64 } from './base64.ts';

/** Bits. Shorter keys can be broken; longer ones would let strangers cause expensive verification. */
const MIN_BITS = 2048;
const MAX_BITS = 4096;
const MAX_EXPONENT = 2n ** 32n;

/** The key as DER in base64; null unless it is an RSA key of a usual size. */
export function readPublicKey(text: string): string | null {
  const der = readBase64(text.replaceAll(/\s/g, ''));
  if (der === null) return null;
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
    const isUsual = modulusLength >= MIN_BITS && modulusLength <= MAX_BITS;
    const isSafe = publicExponent >= 3n && publicExponent % 2n === 1n && publicExponent < MAX_EXPONENT;
    if (key.asymmetricKeyType !== 'rsa' || !isUsual || !isSafe) return null;
    return key.export({ format: 'der', type: 'spki' }).toString('base64');
  } catch {
    return null;
  }
}

/** Identifies keys for people and the audit log. */
export function fingerprintOf(publicKey: string): string {
  return `SHA256:${hash('sha256', Buffer.from(publicKey, 'base64'), 'base64').replace(/=+$/, '')}`;
}
