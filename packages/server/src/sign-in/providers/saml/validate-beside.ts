// Validates answers in a thread of their own: anybody may post one, and the time to parse it grows with the square of what
// is in it. The server goes on answering.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Profile, SamlConfig } from '@node-saml/node-saml';
import { errors } from '@pressroom/api/contract';
import pLimit, { type LimitFunction } from 'p-limit';
import { networkOf } from '../../throttle.ts';

export interface Validator extends AsyncDisposable {
  /**
   * Networks take turns, so that none keeps the others waiting.
   * @param address of the visitor who sends it
   * @throws why the answer is not valid; ApiError 30 with status 429 where too many wait already
   */
  validate(response: string, address: string, limitMs?: number): Promise<Profile>;
}

/** What the thread answers: a copy, without functions. */
export type Validated =
  | { readonly failed: string }
  | { readonly profile: object; readonly assertion: unknown };

/** Beside this file, or beside what the build makes of it. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'validate-thread.ts' : 'validate-thread.mjs',
  import.meta.url,
);
const MOST_MS = 10_000;
/** Networks that wait at once. */
const MOST_NETWORKS = 30;
/** Answers of one network, waiting or being read: an office signs in from one address. */
const MOST_OF_NETWORK = 10;

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
    // Whoever waits is told; where nobody does, the next one starts another.
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
      const [answer] = (await Promise.race([once(thread, 'message', { signal }), gone])) as [Validated];
      return answer;
    } catch (error) {
      await thread.terminate();
      throw signal.aborted ? signal.reason : error;
    } finally {
      clearTimeout(late);
      over.abort();
    }
  }

  return {
    async validate(response, address, limitMs = MOST_MS) {
      const key = networkOf(address);
      const known = networks.get(key);
      const network = known ?? { serialize: pLimit(1), count: 0 };
      if (known ? known.count >= MOST_OF_NETWORK : networks.size >= MOST_NETWORKS) {
        const message = 'too many attempts to sign in: wait a minute';
        throw errors.invalidCredentials({ message, status: 429, retryAfter: 60 });
      }
      networks.set(key, network);
      network.count += 1;
      let answer: Validated;
      try {
        answer = await network.serialize(() => serialize(ask, response, limitMs));
      } finally {
        network.count -= 1;
        if (network.count === 0) networks.delete(key);
      }
      if ('failed' in answer) throw new Error(answer.failed);
      const { profile, assertion } = answer;
      return { ...profile, getAssertion: () => assertion } as unknown as Profile;
    },
    async [Symbol.asyncDispose]() {
      await kept?.terminate();
    },
  };
}
