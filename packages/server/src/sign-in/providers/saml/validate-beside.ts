// Validates answers in a thread of their own: anybody may post one, and the time to parse it grows with the square of what
// is in it. The server goes on answering.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Profile, SamlConfig } from '@node-saml/node-saml';
import { errors } from '@pressroom/api/contract';
import pLimit, { type LimitFunction } from 'p-limit';

export interface Validator extends AsyncDisposable {
  /**
   * @param from the network that it comes from: each has its own queue, so that none keeps the others waiting
   * @throws why the answer is not valid; ApiError 30 with status 429 where too many wait already
   */
  validate(response: string, from: string, limitMs?: number): Promise<Profile>;
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
/** Of one network, and networks. */
const MOST_WAITING = 30;
const MOST_NETWORKS = 300;

export function createValidator(options: SamlConfig): Validator {
  const inTurn = pLimit(1);
  /** Of each network, one is asked at a time: the others of it wait here, and not in the queue of all. */
  const networks = new Map<string, { readonly inTurn: LimitFunction; count: number }>();
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
    async validate(response, from, limitMs = MOST_MS) {
      const own = networks.get(from) ?? { inTurn: pLimit(1), count: 0 };
      if (own.count > MOST_WAITING || (own.count === 0 && networks.size >= MOST_NETWORKS)) {
        const message = 'too many attempts to sign in: wait a minute';
        throw errors.invalidCredentials({ message, status: 429, retryAfter: 60 });
      }
      own.count += 1;
      networks.set(from, own);
      const answer = await own
        .inTurn(() => inTurn(ask, response, limitMs))
        .finally(() => {
          own.count -= 1;
          if (own.count === 0) networks.delete(from);
        });
      if ('failed' in answer) throw new Error(answer.failed);
      const { profile, assertion } = answer;
      return { ...profile, getAssertion: () => assertion } as unknown as Profile;
    },
    async [Symbol.asyncDispose]() {
      await kept?.terminate();
    },
  };
}
