// Deploy keys for ssh repositories, in OpenSSH's format, and their fingerprints.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { errors } from '@pressroom/api/contract';

export interface DeployKey {
  /** Content of the private key file. */
  readonly privateKey: string;
  /** The line to register as a deploy key. */
  readonly publicKey: string;
}

const MAGIC = Buffer.from('openssh-key-v1\0');
const TYPE = 'ssh-ed25519';
const [BEGIN, END] = ['-----BEGIN OPENSSH PRIVATE KEY-----', '-----END OPENSSH PRIVATE KEY-----'];
const BLOCK = 8;

/** @param comment of the public key, without line breaks */
export function makeDeployKey(comment: string): DeployKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const pair = { seed: Buffer.from(d, 'base64url'), point: Buffer.from(x, 'base64url') };
  const publicBlob = Buffer.concat([field(TYPE), field(pair.point)]);
  const check = randomBytes(4);
  const unpadded = Buffer.concat([
    check,
    check,
    publicBlob,
    field(Buffer.concat([pair.seed, pair.point])),
    field(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: -unpadded.length & (BLOCK - 1) }, (_, i) => i + 1));
  const one = Buffer.from([0, 0, 0, 1]);
  const whole = Buffer.concat([
    MAGIC,
    field('none'),
    field('none'),
    field(''),
    one,
    field(publicBlob),
    field(Buffer.concat([unpadded, padding])),
  ]);
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? [];
  return {
    privateKey: [BEGIN, ...lines, END, ''].join('\n'),
    publicKey: `${TYPE} ${publicBlob.toString('base64')} ${comment}`,
  };
}

/** A key made elsewhere. @throws ApiError 25 if it is no OpenSSH private key, or has a passphrase */
export function readDeployKey(text: string, comment: string): DeployKey {
  const lines = text.trim().split(/\r?\n/);
  const whole = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  const isKey = lines[0] === BEGIN && lines.at(-1) === END && whole.subarray(0, MAGIC.length).equals(MAGIC);
  if (!isKey) throw refused('deploy_key must be a private key in the format of OpenSSH');
  let rest = whole.subarray(MAGIC.length);
  const next = (): Buffer => {
    const end = rest.length < 4 ? Infinity : 4 + rest.readUInt32BE();
    if (end > rest.length) throw refused('deploy_key must be a whole private key: its end is missing');
    const value = rest.subarray(4, end);
    rest = rest.subarray(end);
    return value;
  };
  const cipher = next().toString();
  if (cipher !== 'none') throw refused('deploy_key has a passphrase: nobody could enter it');
  next();
  next();
  rest = rest.subarray(4);
  const blob = next();
  const type = blob.length > 4 ? blob.subarray(4, 4 + blob.readUInt32BE()).toString() : '';
  if (!/^(?:ssh-ed25519|ecdsa-sha2-nistp\d{3}|ssh-rsa)$/.test(type))
    throw refused('deploy_key must be an ed25519, ECDSA or RSA key');
  return {
    privateKey: `${lines.join('\n')}\n`,
    publicKey: `${type} ${blob.toString('base64')} ${comment}`,
  };
}

/** As shown by `ssh-keygen -l`, after the type. @param key type and base64 */
export function fingerprintOf(key: string): string {
  const [type = '', base64 = ''] = key.split(' ');
  const hash = createHash('sha256').update(Buffer.from(base64, 'base64')).digest('base64');
  return `${type} SHA256:${hash.replace(/=+$/, '')}`;
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const refused = (message: string) => errors.invalidParameter({ message });
