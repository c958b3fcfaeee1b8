// A client for one server with its key. Logs each request for debugging, and reports slow responses.
import {
  type Client,
  type ClientOptions,
  type ConnectionResponse,
  type ConnectionFactory,
  type ConnectionRequest,
  createClientOver,
  whenSlow,
} from '@pressroom/api/client';

/** @param waiting called if a response is slow or missing, and will be waited for */
export type Connect = (server: string, key: string | undefined, waiting?: () => void) => Client;

export interface ConnectParts {
  readonly version: string;
  readonly onNotice: ClientOptions['onNotice'];
  /** Called with a line for each request and its response; never with a key or body. */
  readonly trace: (line: string) => void;
  /** Sends requests: Node.js, or the browser. */
  readonly connection: ConnectionFactory;
  /** Milliseconds; `slow`: when a delay is reported. */
  readonly timeouts?: { readonly connect: number; readonly headers: number; readonly slow: number };
}

/** Defaults for interactive use. */
export const TIMEOUTS = { connect: 4000, headers: 30_000, slow: 2000 };

export function createConnect({
  version,
  onNotice,
  trace,
  connection,
  timeouts: { slow, ...timeouts } = TIMEOUTS,
}: ConnectParts): Connect {
  /** Dialect of each server: detected once per window. */
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
        const traceOutcome = (outcome: string) =>
          trace(`${line} → ${outcome} (${Math.round(performance.now() - began)} ms)`);
        const timer = whenSlow(request, slow, waiting);
        try {
          const response = await connection.request(request);
          traceOutcome(String(response.statusCode));
          if (isTrouble(request, response)) waiting();
          response.body.once('error', waiting);
          return response;
        } catch (error) {
          traceOutcome(error instanceof Error ? error.message : String(error));
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

/**
 * Responses that lead to a retry or failure: reported at once, not after the last attempt. A task may reappear in a
 * moment.
 */
function isTrouble({ path }: ConnectionRequest, { statusCode, headers }: ConnectionResponse): boolean {
  if (!path.includes('/__api__/')) return false;
  if (statusCode === 404 && path.includes('/tasks/')) return true;
  return statusCode === 429 || statusCode >= 500 || /html/.test(String(headers['content-type']));
}
