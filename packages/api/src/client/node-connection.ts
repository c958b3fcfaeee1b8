// A connection over node:http and node:https: editors patch these with their proxy and certificate settings.
import { addAbortListener } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { Readable, pipeline } from 'node:stream';
import { trustedAuthorities } from './certificates.ts';
import type { Connection, ConnectionResponse, ConnectionRequest, TransportOptions } from './transport.ts';

/** Codes of undici's failures, so that one table covers both kinds of connections. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';
const HEADERS_TIMEOUT = 'UND_ERR_HEADERS_TIMEOUT';
const BODY_TIMEOUT = 'UND_ERR_BODY_TIMEOUT';
const DESTROYED = 'UND_ERR_DESTROYED';

/** Ignores `proxy` and the proxy variables: whoever patches these modules handles them. */
export function nodeConnection(options: TransportOptions): Connection {
  const secure = new URL(options.url).protocol === 'https:';
  const ca = trustedAuthorities({ ca: options.ca, env: options.env, onWarning: options.onWarning });
  const agent = secure
    ? new https.Agent({ keepAlive: true, ...(ca !== undefined && { ca }) })
    : new http.Agent({ keepAlive: true });
  /** Functions that end open requests. */
  const open = new Set<(error: Error) => void>();

  function request(wanted: ConnectionRequest): Promise<ConnectionResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<ConnectionResponse>();
    const send = secure ? https.request : http.request;
    const sending = send(`${wanted.origin}${wanted.path}`, {
      agent,
      method: wanted.method,
      headers: withLength(wanted),
    });
    const { signal } = wanted;
    const listening = signal && addAbortListener(signal, () => fail(signal.reason as Error));
    const limit = createLimit((code) => {
      // The archive takes its time, not the server.
      const isSlow = code === HEADERS_TIMEOUT && !sending.writableEnded && !sending.writableNeedDrain;
      if (isSlow) awaitHeaders();
      else fail(Object.assign(new Error('timeout'), { code }));
    });
    open.add(fail);
    // Destroying a request without a socket emits nothing: an editor assigns one once its proxy is connected, if ever.
    function fail(error: Error): void {
      sending.destroy(error);
      reject(error);
      if (sending.socket) return;
      if (wanted.body instanceof Readable) wanted.body.destroy(error);
      ended();
    }
    function ended(): void {
      limit.clear();
      open.delete(fail);
      listening?.[Symbol.dispose]();
    }
    limit.set(wanted.headersTimeout, CONNECT_TIMEOUT);
    sending.on('socket', (socket) => {
      limit.clear();
      if (!socket.connecting) connected();
      else {
        limit.set(options.timeouts.connect, CONNECT_TIMEOUT);
        socket.once(secure ? 'secureConnect' : 'connect', connected);
      }
    });
    function connected(): void {
      limit.clear(CONNECT_TIMEOUT);
      // A server that stops reading must not hold an upload for ever.
      if (wanted.body instanceof Readable) awaitHeaders();
    }
    function awaitHeaders(): void {
      limit.set(wanted.headersTimeout, HEADERS_TIMEOUT);
    }
    sending.on('drain', awaitHeaders);
    sending.on('finish', awaitHeaders);
    sending.on('response', (response) => {
      limit.clear();
      // It may arrive before the end of an upload.
      sending.off('drain', awaitHeaders);
      sending.off('finish', awaitHeaders);
      const body = limited(response, wanted.bodyTimeout);
      resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body });
    });
    sending.on('error', reject);
    sending.on('close', ended);
    if (wanted.body instanceof Readable) {
      pipeline(wanted.body, sending, (error) => {
        // A response received before the end of the upload takes precedence over the broken pipe.
        if (error) reject(error);
      });
    } else sending.end(wanted.body);
    return promise;
  }

  return {
    request,
    async destroy() {
      const error = Object.assign(new Error('the client was closed'), { code: DESTROYED });
      for (const fail of open) fail(error);
      agent.destroy();
    },
  };
}

function withLength({ headers, body }: ConnectionRequest): Record<string, string> {
  if (body instanceof Readable) return headers;
  return { ...headers, 'content-length': String(body === undefined ? 0 : Buffer.byteLength(body)) };
}

/** One timer at a time; `fire` receives the code of the phase that timed out. */
function createLimit(fire: (code: string) => void) {
  let timer: NodeJS.Timeout | undefined;
  let current: string | undefined;
  const clear = (code?: string) => {
    if (code !== undefined && code !== current) return;
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    clear,
    set(milliseconds: number, code: string) {
      clear();
      if (milliseconds === 0) return;
      current = code;
      timer = setTimeout(() => fire(code), milliseconds);
    },
  };
}

function limited(response: http.IncomingMessage, milliseconds: number): Readable {
  if (milliseconds > 0) {
    response.setTimeout(milliseconds, () =>
      response.destroy(Object.assign(new Error('timeout'), { code: BODY_TIMEOUT })),
    );
  }
  return response;
}
