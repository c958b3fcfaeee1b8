// A client for one server with the key that belongs to it. Every request can be followed in the log, and who waits for an
// answer is told that it takes long.
import { Readable } from 'node:stream';
import {
  type Client,
  type ClientOptions,
  type ConnectionAnswer,
  type ConnectionFactory,
  type ConnectionRequest,
  createClientOver,
} from '@pressroom/api/client';

/** @param waiting is called when an answer takes long or does not come, and will be waited for again */
export type Connect = (server: string, key: string | undefined, waiting?: () => void) => Client;

export interface ConnectParts {
  readonly version: string;
  readonly onNotice: ClientOptions['onNotice'];
  /** Gets a line for each request and its answer; never a key or a body. */
  readonly trace: (line: string) => void;
  /** What carries requests: Node.js, or the browser. */
  readonly connection: ConnectionFactory;
  /** Milliseconds; `slow` is how long an answer takes when somebody who waits is told. */
  readonly timeouts?: { readonly connect: number; readonly headers: number; readonly slow: number };
}

/** As people have them. */
export const TIMEOUTS = { connect: 4000, headers: 30_000, slow: 2000 };

export function createConnect({
  version,
  onNotice,
  trace,
  connection,
  timeouts: { slow, ...timeouts } = TIMEOUTS,
}: ConnectParts): Connect {
  /** What form each server speaks: asked once for each window. */
  const dialects = new Map<string, Awaited<ReturnType<Client['dialect']>>>();
  return (url, apiKey, waiting = () => undefined) =>
    createClientOver(
      {
        url,
        apiKey,
        userAgent: `pressroom-vscode/${version}`,
        timeouts,
        retries: 2,
        likelyDialect: dialects.get(url),
        onDialect: (dialect) => dialects.set(url, dialect),
        ...(onNotice && { onNotice }),
      },
      followed(connection, { trace, waiting, slow }),
    );
}

function followed(
  factory: ConnectionFactory,
  {
    trace,
    waiting,
    slow,
  }: { readonly trace: (line: string) => void; readonly waiting: () => void; readonly slow: number },
): ConnectionFactory {
  return (options) => {
    const connection = factory(options);
    return {
      async request(request) {
        const began = performance.now();
        const line = `${request.method} ${request.origin}${request.path}`;
        const tell = (outcome: string) =>
          trace(`${line} → ${outcome} (${Math.round(performance.now() - began)} ms)`);
        const timer = whenSlow(request, slow, waiting);
        try {
          const answer = await connection.request(request);
          tell(String(answer.statusCode));
          if (isTrouble(request, answer)) waiting();
          answer.body.once('error', waiting);
          return answer;
        } catch (error) {
          tell(error instanceof Error ? error.message : String(error));
          if (request.signal?.aborted !== true) waiting();
          throw error;
        } finally {
          timer.stop();
        }
      },
      destroy: () => connection.destroy(),
    };
  };
}

/** Calls `waiting` once when no answer comes in time. An upload shows its own progress: it waits from its end on. */
function whenSlow(request: ConnectionRequest, slow: number, waiting: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const start = () => (timer = setTimeout(waiting, slow + polled(request)));
  const { body } = request;
  if (body instanceof Readable) body.once('end', start);
  else start();
  return {
    stop() {
      if (body instanceof Readable) body.off('end', start);
      clearTimeout(timer);
    },
  };
}

/** What is asked again soon, or fails: it is told at once, not after the last attempt. A task may be known again in a moment. */
function isTrouble({ path }: ConnectionRequest, { statusCode, headers }: ConnectionAnswer): boolean {
  if (!path.includes('/__api__/')) return false;
  if (statusCode === 404 && path.includes('/tasks/')) return true;
  return statusCode === 429 || statusCode >= 500 || /html/.test(String(headers['content-type']));
}

/** Milliseconds that the server is asked to wait for something to tell. */
function polled({ path }: ConnectionRequest): number {
  return Number(/[?&]wait=(\d+)/.exec(path)?.[1] ?? 0) * 1000;
}
