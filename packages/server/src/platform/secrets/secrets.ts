// Encryption at rest (AES-256-GCM) and signed, short-lived tickets, with keys derived from the server's secret key.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export interface Secrets {
  /** @param context is bound to the value: it decrypts nowhere else. */
  encrypt(value: string, context: string): string;
  /** @throws if the key is unknown, the value was changed, or belongs elsewhere. */
  decrypt(sealed: string, context: string): string;
  /** JSON from `encrypt`: only this server can have written it. @throws as decrypt does */
  decryptJson<T>(sealed: string, context: string): T;
  /** Whether a value was encrypted with the current key, not a previous one. */
  isCurrent(sealed: string): boolean;
  /** A secret derived for a purpose, always the same. */
  derive(purpose: string): string;
  sign(payload: unknown, purpose: string, expires: number): string;
  /** The payload; null if the ticket is forged, expired or for another purpose. */
  verify<T>(ticket: string, purpose: string, now: number): T | null;
  /** A message authentication code with the id of its key. */
  mac(text: string, purpose: string): string;
  /** Whether the code matches the text, with the current or a previous key. */
  isMacOf(mac: string, text: string, purpose: string): boolean;
}

interface Key {
  /** Identifies a key without revealing anything about it. */
  readonly id: string;
  readonly sealing: Buffer;
  readonly signing: Buffer;
  readonly deriving: Buffer;
  readonly mac: (text: string, purpose: string) => Buffer;
}

/** Key id and payload; values from before key ids have neither prefix. */
const SEALED = /^\$([0-9a-f]{8})\$(.*)$/s;

/** @param previous keys that can still decrypt and verify. */
export function createSecrets(key: string, previous: readonly string[] = []): Secrets {
  const current = keyOf(key);
  const keys = [current, ...previous.map(keyOf)];

  function open(sealed: string, context: string, { sealing }: Key): string {
    const bytes = Buffer.from(sealed, 'base64');
    const tag = bytes.subarray(12, 28);
    const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context)).setAuthTag(tag);
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }

  function decrypt(sealed: string, context: string): string {
    const [, id, text] = SEALED.exec(sealed) ?? [];
    if (id !== undefined) {
      const found = keys.find((one) => one.id === id);
      if (!found)
        throw new Error(
          `it was encrypted with another secret key of the server (${id}): set it again, or ask an administrator to add that key to Secrets.PreviousKeys`,
        );
      return open(text ?? '', context, found);
    }
    const errors: unknown[] = [];
    for (const one of keys) {
      try {
        return open(sealed, context, one);
      } catch (error) {
        errors.push(error);
      }
    }
    throw errors[0];
  }

  return {
    derive: (purpose) => createHmac('sha256', current.deriving).update(purpose).digest('base64url'),
    encrypt(value, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.sealing, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return `$${current.id}$${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64')}`;
    },
    decrypt,
    decryptJson: <T>(sealed: string, context: string) => JSON.parse(decrypt(sealed, context)) as T,
    isCurrent: (sealed) => SEALED.exec(sealed)?.[1] === current.id,
    sign(payload, purpose, expires) {
      const body = Buffer.from(JSON.stringify({ payload, purpose, expires })).toString('base64url');
      return `${body}.${ticketMac(current, body).toString('base64url')}`;
    },
    verify<T>(ticket: string, purpose: string, now: number): T | null {
      const [body, signature] = ticket.split('.', 2);
      if (!body || !signature) return null;
      const given = Buffer.from(signature, 'base64url');
      if (!keys.some((one) => isSame(given, ticketMac(one, body)))) return null;
      const ticketBody = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
      if (ticketBody.purpose !== purpose || Number(ticketBody.expires) <= now) return null;
      return ticketBody.payload as T;
    },
    mac: (text, purpose) => `${current.id}.${current.mac(text, purpose).toString('base64url')}`,
    isMacOf(mac, text, purpose) {
      const [id, code = ''] = mac.split('.', 2);
      const found = keys.find((one) => one.id === id);
      return found !== undefined && isSame(Buffer.from(code, 'base64url'), found.mac(text, purpose));
    },
  };
}

function keyOf(key: string): Key {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, 'pressroom', purpose, 32));
  // Prepared once: a plain buffer would be prepared at each use.
  const authenticating = createSecretKey(derive('authentication codes'));
  return {
    id: derive('key id').subarray(0, 4).toString('hex'),
    sealing: derive('encryption'),
    signing: derive('tickets'),
    deriving: derive('derived secrets'),
    mac: (text, purpose) => createHmac('sha256', authenticating).update(`${purpose}\0`).update(text).digest(),
  };
}

const ticketMac = ({ signing }: Key, text: string) => createHmac('sha256', signing).update(text).digest();

function isSame(given: Buffer, wanted: Buffer): boolean {
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
