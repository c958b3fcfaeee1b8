// A client for one server with the key that belongs to it. Every request can be followed in the log, and who waits for an
// answer is told that it takes long.
import { Readable } from 'node:stream';
import {
  type Client,
  type ClientOptions,
  type ConnectionFactory,
  type ConnectionRequest,
  createClientOver,
  nodeConnection,
} from '@pressroom/api/client';

/** @param waiting is called when an answer takes long or does not come, and will be waited for again */
export type Connect = (server: string, key: string | undefined, waiting?: () => void) => Client;

export interface ConnectParts {
  readonly version: string;
  readonly onNotice: ClientOptions['onNotice'];
  /** Gets a line for each request and its answer; never a key or a body. */
  readonly trace: (line: string) => void;
  readonly connection?: ConnectionFactory;
}

/** Milliseconds after which somebody who waits is told. */
const SLOW_MS = 3000;
const TIMEOUTS = { connect: 4000, headers: 30_000 };

/** node:https is what the editor gives its own proxy and certificates; the environment is left to it, too. */
export function createConnect({
  version,
  onNotice,
  trace,
  connection = nodeConnection,
}: ConnectParts): Connect {
  /** What form each server speaks: asked once for each window. */
  const dialects = new Map<string, Awaited<ReturnType<Client['dialect']>>>();
  return (url, apiKey, waiting = () => undefined) =>
    createClientOver(
      {
        url,
        apiKey,
        userAgent: `pressroom-vscode/${version}`,
        timeouts: TIMEOUTS,
        retries: 2,
        likelyDialect: dialects.get(url),
        onDialect: (dialect) => dialects.set(url, dialect),
        ...(onNotice && { onNotice }),
      },
      followed(connection, trace, waiting),
    );
}

function followed(
  factory: ConnectionFactory,
  trace: (line: string) => void,
  waiting: () => void,
): ConnectionFactory {
  return (options) => {
    const connection = factory(options);
    return {
      async request(request) {
        const began = performance.now();
        const line = `${request.method} ${request.origin}${request.path}`;
        const tell = (outcome: string) =>
          trace(`${line} → ${outcome} (${Math.round(performance.now() - began)} ms)`);
        const timer = isUpload(request) ? undefined : setTimeout(waiting, SLOW_MS + polled(request));
        try {
          const answer = await connection.request(request);
          tell(String(answer.statusCode));
          return answer;
        } catch (error) {
          tell(error instanceof Error ? error.message : String(error));
          if (request.signal?.aborted !== true) waiting();
          throw error;
        } finally {
          clearTimeout(timer);
        }
      },
      destroy: () => connection.destroy(),
    };
  };
}

/** An upload shows its own progress. */
function isUpload({ body }: ConnectionRequest): boolean {
  return body instanceof Readable;
}

/** Milliseconds that the server is asked to wait for something to tell. */
function polled({ path }: ConnectionRequest): number {
  return Number(/[?&]wait=(\d+)/.exec(path)?.[1] ?? 0) * 1000;
}
