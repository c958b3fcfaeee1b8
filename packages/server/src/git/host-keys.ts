// Host keys of ssh servers: fetched, shown to the owner, and trusted only after confirmation.
import { errors } from '@pressroom/api/contract';
import type { Storage } from '../platform/database/storage.ts';
import { fingerprintOf } from './deploy-key.ts';
import { runGit, type GitRun, type Remote } from './run-git.ts';
import { noteFetch, type RepositoryRow } from './store.ts';

const KEY = /^(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) [A-Za-z0-9+/]{40,2000}={0,2}$/;
const SCAN = 'ssh-keyscan -T 15 -t ed25519,ecdsa,rsa -p "$1" -- "$2" 2> /dev/null';
const MAX_KEYS = 8;

/** Keys of a row: type and base64 each. */
export const keysOf = (stored: string | null): string[] => stored?.split('\n').filter(Boolean) ?? [];

/** The keys that the server offers now, not trusted yet. @throws ApiError 1 if it does not respond */
export async function offeredKeys(
  launcher: Parameters<typeof runGit>[0],
  run: Pick<GitRun, 'directory' | 'signal'>,
  remote: Remote,
): Promise<string[]> {
  const {
    port,
    ips: [ip],
  } = remote.place;
  const { lines } = await runGit(launcher, {
    ...run,
    script: SCAN,
    parameters: [port, ip],
    remote,
    fileLimit: 2 ** 20,
    timeout: 60,
  });
  const keys = lines.map((line) => line.split(' ').slice(1, 3).join(' ')).filter((key) => KEY.test(key));
  if (keys.length === 0)
    throw errors.internal({ message: `unreachable: ${remote.url} does not respond as an ssh server` });
  return [...new Set(keys)].slice(0, MAX_KEYS);
}

/**
 * Keys that an owner trusts: lines of `known_hosts`, keys, or fingerprints of offered keys.
 * @throws ApiError 25
 */
export function trustedKeys(wanted: readonly string[], offered: readonly string[]): string[] {
  return wanted.map((text) => {
    const words = text.trim().split(/\s+/);
    const start = words.findIndex((word) => /^(?:ssh|ecdsa)-/.test(word));
    const key = words.slice(start, start + 2).join(' ');
    if (start >= 0 && KEY.test(key)) return key;
    const fingerprint = words.find((word) => word.startsWith('SHA256:'));
    const known = offered.find((one) => fingerprintOf(one).split(' ')[1] === fingerprint);
    if (fingerprint === undefined || known === undefined)
      throw errors.invalidParameter({
        message: 'host_keys must be lines of known_hosts, or fingerprints that the server offers',
        field: 'host_keys',
      });
    return known;
  });
}

export function notTrusted({ url }: Remote, offered: readonly string[]) {
  return errors.internal({
    message: `host key: the key of ${new URL(url).host} is not trusted yet. It offers ${offered.map(fingerprintOf).join(', ')}. Compare it with what its operator publishes, and trust it`,
  });
}

/** Stores the offered keys for the owner to compare. */
export const noteOffered = (storage: Storage) => async (row: RepositoryRow, keys: readonly string[]) => {
  const set = { offered_keys: keys.join('\n') };
  await storage.write((tx) => noteFetch(tx, row, set));
};
