// Replaces node:crypto: Web Crypto has no MD5, which manifests contain, and no incremental hashing.
import { md5 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

interface Hash {
  update(data: string | Uint8Array): Hash;
  digest(encoding: 'hex'): string;
}

const KINDS = { md5, sha256 };

export function createHash(kind: keyof typeof KINDS): Hash {
  const state = KINDS[kind].create();
  const made: Hash = {
    update(data) {
      state.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return made;
    },
    digest: () => bytesToHex(state.digest()),
  };
  return made;
}

export function hash(kind: keyof typeof KINDS, data: string | Uint8Array, encoding: 'hex'): string {
  return createHash(kind).update(data).digest(encoding);
}

export function randomBytes(length: number): Buffer {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(length)));
}
