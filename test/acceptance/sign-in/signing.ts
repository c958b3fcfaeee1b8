// A program that signs its requests, like rsconnect for R, and the person who claims its token in the browser.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import type { CallResponse, Person, TestServer } from '@pressroom/testkit';

export interface Forgery {
  readonly token?: string;
  readonly date?: string;
  readonly checksum?: string;
  readonly signature?: string;
  /** Signed instead of the actual request. */
  readonly method?: string;
  readonly path?: string;
  readonly key?: KeyObject;
  readonly headers?: Record<string, string>;
}

export interface Program {
  readonly token: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  /** Sends a signed request, or a forged one. A stream needs its checksum. */
  send(method: string, path: string, body?: unknown, forgery?: Forgery): Promise<CallResponse>;
}

export function newProgram(server: TestServer, now: () => number = () => Date.now()): Program {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const token = `T${randomBytes(16).toString('hex')}`;
  return {
    token,
    publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    privateKey: pair.privateKey,
    async send(method, path, body, forgery = {}) {
      const isRaw = body === undefined || Buffer.isBuffer(body) || body instanceof ReadableStream;
      const raw = isRaw ? (body as Buffer | ReadableStream) : Buffer.from(JSON.stringify(body));
      const md5 = createHash('md5')
        .update(Buffer.isBuffer(raw) ? raw : '')
        .digest('base64');
      const { date = new Date(now()).toUTCString(), checksum = md5 } = forgery;
      const signed = [
        forgery.method ?? method,
        forgery.path ?? `/__api__${path.split('?')[0]}`,
        date,
        checksum,
      ];
      const signature = sign('sha1', Buffer.from(signed.join('\n')), forgery.key ?? pair.privateKey);
      return server.anonymous(method, path, {
        ...(raw !== undefined && { raw }),
        headers: {
          Date: date,
          'X-Auth-Token': forgery.token ?? token,
          'X-Auth-Signature': forgery.signature ?? signature.toString('base64'),
          'X-Content-Checksum': checksum,
          ...forgery.headers,
        },
      });
    },
  };
}

let made = 0;

/** A program that never signs: made quickly, without a private key. */
export function unsigned(): Pick<Program, 'token' | 'publicKey'> {
  made += 1;
  return {
    token: `T${randomBytes(16).toString('hex')}`,
    publicKey: rsaKey(256, 65537, made * 2 + 1).toString('base64'),
  };
}

/** @param bytes of the modulus, which is not a product of primes */
export function rsaKey(bytes: number, exponent: number, tail = 1): Buffer {
  const n = Buffer.alloc(bytes, 0xa5);
  n.writeUInt32BE(tail, bytes - 4);
  const jwk = {
    kty: 'RSA',
    n: n.toString('base64url'),
    e: Buffer.from(exponent.toString(16).padStart(6, '0'), 'hex').toString('base64url'),
  };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' });
}

export function register(server: TestServer, { token, publicKey }: Pick<Program, 'token' | 'publicKey'>) {
  const body = { token, public_key: publicKey, user_id: 0 };
  const headers = { 'User-Agent': 'RSConnect/1.8.0', 'X-Auth-Token': 'anonymous-access' };
  return server.anonymous('POST', '/tokens', { body, headers });
}

/** A signed-in browser without a screen. */
export async function browse(server: TestServer, { username }: Person) {
  const body = { username, password: 'correct horse' };
  const set = (await server.anonymous('POST', '//__login__', { body })).headers.getSetCookie();
  const cookie = set.map((one) => one.split(';')[0]).join('; ');
  const xsrf = /RSC-XSRF=([^;]+)/.exec(cookie)![1]!;
  const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    server.anonymous('POST', '//__dashboard__/token', {
      raw: new URLSearchParams(form).toString(),
      headers: { cookie, ...headers },
    });
  return {
    look: (token: string) =>
      server.anonymous('GET', `//__dashboard__/token?token=${encodeURIComponent(token)}`, {
        headers: { cookie },
      }),
    decide: (token: string, decision: string) => post({ token, decision, xsrf }),
    post,
  };
}

/** A program whose token the person has claimed. */
export async function claimed(server: TestServer, person: Person, now?: () => number): Promise<Program> {
  const program = newProgram(server, now);
  await register(server, program);
  await (await browse(server, person)).decide(program.token, 'allowed');
  return program;
}
