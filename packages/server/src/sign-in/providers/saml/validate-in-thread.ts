// Validates responses in a worker thread: anybody may post one, and parsing can take quadratic time.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Profile, SamlConfig } from '@node-saml/node-saml';
import { errors } from '@pressroom/api/contract';
import pLimit, { type LimitFunction } from 'p-limit';
import { networkOf, siteOf } from '../../throttle.ts';

export interface Validator extends AsyncDisposable {
  /**
   * Networks (IPv6: sites) take turns, so that none blocks the others.
   * @param address of the sender
   * @throws why the response is invalid; ApiError 30 with status 429 if too many are queued
   */
  validate(response: string, address: string, limitMs?: number): Promise<Profile>;
}

/** The thread's response: a copy, without functions. */
export type Validated =
  | { readonly failed: string }
  | { readonly profile: object; readonly assertion: unknown };

/** Next to this file, or next to the built one. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'validate-thread.ts' : 'validate-thread.mjs',
  import.meta.url,
);
const TIMEOUT_MS = 10_000;
/** Maximum queued networks. */
const MAX_NETWORKS = 30;
/** Maximum responses of one network, queued or processed: an office signs in from one address. */
const MAX_PER_NETWORK = 10;

export function createValidator(options: SamlConfig): Validator {
  const serialize = pLimit(1);
  const networks = new Map<string, { readonly serialize: LimitFunction; count: number }>();
  let kept: Worker | null = null;

  function start(): Worker {
    const thread = new Worker(THREAD, {
      workerData: options,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    });
    // Callers get the error; without any, the next one starts a new thread.
    thread.on('error', () => undefined);
    thread.once('exit', () => (kept = kept === thread ? null : kept));
    thread.unref();
    return thread;
  }

  async function ask(response: string, limitMs: number): Promise<Validated> {
    const thread = (kept ??= start());
    const over = new AbortController();
    const late = setTimeout(() => over.abort(new Error('the response takes too long to read')), limitMs);
    const { signal } = over;
    try {
      thread.postMessage(response);
      const gone = once(thread, 'exit', { signal }).then(() => {
        throw new Error('the response takes too much memory');
      });
      const [result] = (await Promise.race([once(thread, 'message', { signal }), gone])) as [Validated];
      return result;
    } catch (error) {
      await thread.terminate();
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(late);
      over.abort();
    }
  }

  return {
    async validate(response, address, limitMs = TIMEOUT_MS) {
      const key = siteOf(networkOf(address));
      const known = networks.get(key);
      const network = known ?? { serialize: pLimit(1), count: 0 };
      if (known ? known.count >= MAX_PER_NETWORK : networks.size >= MAX_NETWORKS) {
        const message = 'too many attempts to sign in: wait a minute';
        throw errors.invalidCredentials({ message, status: 429, retryAfter: 60 });
      }
      networks.set(key, network);
      network.count += 1;
      let result: Validated;
      try {
        result = await network.serialize(() => serialize(ask, response, limitMs));
      } finally {
        network.count -= 1;
        if (network.count === 0) networks.delete(key);
      }
      if ('failed' in result) throw new Error(result.failed);
      const { profile, assertion } = result;
      return { ...profile, getAssertion: () => assertion } as unknown as Profile;
    },
    async [Symbol.asyncDispose]() {
      await kept?.terminate();
    },
  };
}
