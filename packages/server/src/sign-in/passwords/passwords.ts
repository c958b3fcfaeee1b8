// Passwords as argon2id PHC strings, hashed off the main thread with limited concurrency.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { errors } from '@pressroom/api/contract';
import pLimit from 'p-limit';
import { isTooLong } from './password-policy.ts';

const derive = promisify(argon2);

/** OWASP's second recommended parameters: 19 MiB, 2 passes, 1 lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_LENGTH = 32;
const AT_ONCE = 2;
/** Maximum queued requests, some seconds of work. Beyond that, callers must retry later. */
const WAITING = 64;
const RETRY_AFTER_SECONDS = 5;

export interface Passwords {
  /** @throws ApiError 1 with status 503 if too many are queued. */
  hash(password: string): Promise<string>;
  /**
   * Takes the same time without a hash as for a wrong password, so that names cannot be probed.
   * @throws ApiError 1 with status 503 if too many are queued.
   */
  verify(password: string, hash: string | null): Promise<boolean>;
}

/** @param price cost of new hashes; below the recommended one for tests only. */
export function createPasswords(price: Cost = COST): Passwords {
  const limit = pLimit(AT_ONCE);

  function limited<T>(work: () => Promise<T>): Promise<T> {
    if (limit.pendingCount < WAITING) return limit(work);
    const message = 'the server is busy signing people in: try again in a few seconds';
    throw errors.internal({ message, status: 503, retryAfter: RETRY_AFTER_SECONDS });
  }

  const nobody = { ...price, nonce: randomBytes(16), tag: randomBytes(TAG_LENGTH) };
  return {
    hash: async (password) =>
      limited(async () => {
        const nonce = randomBytes(16);
        return format({ ...price, nonce, tag: await tagOf(password, { ...price, nonce }) });
      }),
    verify: async (password, hash) =>
      limited(async () => {
        // Normalizing a long text takes quadratic time.
        const isLong = isTooLong(password);
        const parts = (hash && !isLong && parse(hash)) || nobody;
        const tag = await tagOf(isLong ? '' : password, parts);
        return timingSafeEqual(tag, parts.tag) && parts !== nobody;
      }),
  };
}

interface Cost {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

interface Parts extends Cost {
  nonce: Buffer;
  tag: Buffer;
}

async function tagOf(password: string, cost: Omit<Parts, 'tag'>): Promise<Buffer> {
  const { memory, passes, parallelism, nonce } = cost;
  return (await derive('argon2id', {
    message: Buffer.from(password.normalize('NFC')),
    nonce,
    memory,
    passes,
    parallelism,
    tagLength: TAG_LENGTH,
  })) as Buffer;
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

function format({ memory, passes, parallelism, nonce, tag }: Parts): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(nonce)}$${unpadded(tag)}`;
}

function parse(hash: string): Parts | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash);
  if (!match) return null;
  const [, memory, passes, parallelism, nonce = '', end = ''] = match;
  const tag = Buffer.from(end, 'base64');
  if (tag.length !== TAG_LENGTH) return null;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return { ...cost, nonce: Buffer.from(nonce, 'base64'), tag };
}
