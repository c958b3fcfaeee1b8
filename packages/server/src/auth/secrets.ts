// Encryption at rest (AES-256-GCM) and signed, short-lived tickets, both under the server's secret key.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Secrets {
  /** @param context is bound to the value: it opens nowhere else. */
  encrypt(value: string, context: string): string;
  decrypt(sealed: string, context: string): string;
  /** A secret of its own for a purpose, always the same. */
  derive(purpose: string): string;
  sign(payload: unknown, purpose: string, expires: number): string;
  /** The payload; null when the ticket is forged, expired or made for another purpose. */
  verify<T>(ticket: string, purpose: string, now: number): T | null;
}

export function createSecrets(key: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, 'pressroom', purpose, 32));
  const [sealing, signing] = [derive('encryption'), derive('tickets')];
  const deriving = derive('derived secrets');
  const mac = (text: string) => createHmac('sha256', signing).update(text).digest();
  return {
    derive: (purpose) => createHmac('sha256', deriving).update(purpose).digest('base64url'),
    encrypt(value, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
    sign(payload, purpose, expires) {
      const body = Buffer.from(JSON.stringify({ payload, purpose, expires })).toString('base64url');
      return `${body}.${mac(body).toString('base64url')}`;
    },
    verify(ticket, purpose, now) {
      const [body, signature] = ticket.split('.', 2);
      if (!body || !signature) return null;
      const given = Buffer.from(signature, 'base64url');
      const wanted = mac(body);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null;
      const ticketBody = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
      if (ticketBody.purpose !== purpose || Number(ticketBody.expires) <= now) return null;
      return ticketBody.payload as never;
    },
  };
}

/** The key file of a data directory, made on first use and readable by the server's account only. */
export function readSecretKey(dataDir: string): string {
  const file = join(dataDir, 'secret.key');
  if (!existsSync(file)) makeSecretKey(file);
  chmodSync(file, 0o600);
  const key = readFileSync(file, 'utf8').trim();
  if (key === '')
    throw new Error(`${file} is empty: put it back from a backup; without it nothing sealed can be read`);
  return key;
}

/** Whole or not at all, and of two servers that make one only the first counts. */
function makeSecretKey(file: string): void {
  const whole = `${file}.${process.pid}`;
  const fd = openSync(whole, 'w', 0o600);
  writeSync(fd, randomBytes(32).toString('base64'));
  fsyncSync(fd);
  closeSync(fd);
  try {
    linkSync(whole, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(whole);
  }
}
