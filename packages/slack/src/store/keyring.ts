// Encrypts API keys and Slack tokens at rest: AES-256-GCM, with several keys for rotation.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface Keyring {
  /** @param context owner of the secret; it decrypts in no other context. */
  seal(secret: string, context: string): string;
  /** @throws KeyringError if no key fits, or the text was changed. */
  open(sealed: string, context: string): string;
  /** True unless it was encrypted with the newest key. */
  isOld(sealed: string): boolean;
}

/** A missing or malformed key; the message never contains one. */
export class KeyringError extends Error {
  override readonly name = 'KeyringError';
}

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

/**
 * @param text `name:base64`, several joined with commas: the first encrypts, all decrypt. A key has 32 bytes.
 * @throws KeyringError
 */
export function createKeyring(text: string): Keyring {
  const keys = new Map(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(readKey),
  );
  const [newest] = keys.keys();
  if (newest === undefined) throw new KeyringError('there is no encryption key');
  return {
    seal(secret, context) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, keys.get(newest)!, nonce).setAAD(Buffer.from(context));
      const bytes = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${newest}:${bytes.toString('base64')}`;
    },
    open(sealed, context) {
      const [name = '', body = ''] = sealed.split(':');
      const key = keys.get(name);
      if (!key) throw new KeyringError(`no encryption key is named ${name.slice(0, 32)}`);
      const bytes = Buffer.from(body, 'base64');
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
          .setAAD(Buffer.from(context))
          .setAuthTag(bytes.subarray(-TAG));
        return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new KeyringError('what is stored was not encrypted with this key for this use', { cause });
      }
    },
    isOld: (sealed) => !sealed.startsWith(`${newest}:`),
  };
}

function readKey(part: string): [string, Buffer] {
  const [, name, body] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/=_-]+)$/.exec(part) ?? [];
  const key = Buffer.from(body ?? '', 'base64');
  if (name === undefined || key.length !== 32) {
    throw new KeyringError('an encryption key must be name:base64 of 32 bytes (openssl rand -base64 32)');
  }
  return [name, key];
}
