// A connection with the browser's fetch, for an editor in the browser.
import { Readable } from 'node:stream';
import { type ConnectionResponse, type ConnectionFactory, NoResponseError } from '@pressroom/api/client';
import { l10n } from 'vscode';
import { hostOf } from '../ui/texts.ts';

/** Set by the browser itself, which refuses them. */
const FORBIDDEN = /^(user-agent|cookie|content-length|host|connection|accept-encoding)$/i;

/** Minimum upload speed in bytes per millisecond: the end of sending is not reported. */
const SLOWEST = 50;

export const fetchConnection: ConnectionFactory = ({ url }) => {
  const open = new AbortController();
  return {
    async request({
      origin,
      path,
      method,
      headers,
      body,
      headersTimeout,
      bodyTimeout,
      signal,
    }): Promise<ConnectionResponse> {
      const limit = new AbortController();
      const sent = typeof body === 'string' || body === undefined ? body : await whole(body);
      const time = headersTimeout + (sent instanceof Blob ? sent.size / SLOWEST : 0);
      const timer = headersTimeout > 0 ? setTimeout(() => limit.abort(timedOut('HEADERS')), time) : undefined;
      const signals = [open.signal, limit.signal, ...(signal ? [signal] : [])];
      try {
        const response = await fetch(`${origin}${path}`, {
          method,
          headers: Object.entries(headers).filter(([name]) => !FORBIDDEN.test(name)),
          ...(sent !== undefined && { body: sent }),
          // Only keys, and no page of another site in between.
          credentials: 'omit',
          redirect: 'manual',
          cache: 'no-store',
          signal: AbortSignal.any(signals),
        });
        return {
          statusCode: response.type === 'opaqueredirect' ? 302 : response.status,
          headers: Object.fromEntries(response.headers),
          body: Readable.from(response.body === null ? [] : piecesOf(response.body, bodyTimeout)),
        };
      } catch (error) {
        // Browsers give no reason, and do not tell whether the request was sent.
        if (error instanceof TypeError) throw refused(url);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    destroy: async () => open.abort(Object.assign(new Error('closed'), { code: 'UND_ERR_DESTROYED' })),
  };
};

/** Browsers send no streams: the archive is packed first. */
async function whole(body: Buffer | Readable): Promise<Blob> {
  if (!(body instanceof Readable)) return new Blob([Uint8Array.from(body)]);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of body) pieces.push(Uint8Array.from(piece as Uint8Array));
  return new Blob(pieces);
}

/** Not all browsers support iterating over streams. @param longest milliseconds between two pieces; 0 for no limit */
async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  longest: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { promise, reject } = Promise.withResolvers<never>();
      const timer = longest > 0 ? setTimeout(() => reject(timedOut('BODY')), longest) : undefined;
      const { done, value } = await Promise.race([reader.read(), promise]).finally(() => clearTimeout(timer));
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** With the code that distinguishes timeouts. */
function timedOut(phase: 'HEADERS' | 'BODY'): Error {
  return Object.assign(new Error('timeout'), { code: `UND_ERR_${phase}_TIMEOUT` });
}

function refused(server: string): NoResponseError {
  return new NoResponseError({
    operation: 'fetch',
    server,
    kind: 'refused',
    message: l10n.t('The browser got no response from {0}.', hostOf(server)),
    hint: l10n.t(
      'Either the server cannot be reached, or it does not allow requests from this editor: add {0} to HTTP.AllowedOrigins of a Pressroom server; for other servers, allow this origin in their proxy (CORS).',
      originOfEditor(),
    ),
  });
}

function originOfEditor(): string {
  const { location } = globalThis as { location?: { origin?: string } };
  return location?.origin ?? '?';
}
