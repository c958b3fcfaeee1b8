// Classifies connection failures: DNS, connection, certificate, timeout.
import { INVALID_RESPONSE, NO_RESPONSE, wording } from './failure-texts.ts';
import {
  InvalidResponseError,
  NoResponseError,
  type FailureContext,
  type NoResponseKind,
} from './failures.ts';
import { EXPIRED, NOT_TLS } from './hints.ts';

const REFUSED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
const TIMEOUT = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const TLS =
  /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$|UND_ERR_PRX_TLS$)/;

const OUTSIDE_VALIDITY = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** OpenSSL's errors for a response that is not TLS. */
const PLAIN = /wrong.version.number|packet.length.too.long/i;

/** Converts a connection error to a failure class; an aborted `signal` means a cancelled call. */
export function toFailure(
  error: unknown,
  context: FailureContext,
  signal?: AbortSignal,
): NoResponseError | InvalidResponseError {
  if (error instanceof NoResponseError || error instanceof InvalidResponseError) return error;
  if (signal?.aborted === true) return noResponse('aborted', context, signal.reason);
  const codes = codesOf(error);
  if (codes.includes('UND_ERR_DESTROYED')) return noResponse('aborted', context, error);
  const unreadable = codes.some((code) => code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW');
  if (unreadable || (error instanceof Error && error.name === 'HTTPParserError')) {
    return new InvalidResponseError({
      ...context,
      kind: 'not-http',
      message: wording(INVALID_RESPONSE.notHttp, context.server),
      cause: error,
    });
  }
  const tunnel = error instanceof Error ? /^Proxy response \((\d+)\)/.exec(error.message) : null;
  if (tunnel !== null || codes.includes('UND_ERR_PRX_CONN')) return proxyRefused(context, tunnel?.[1], error);
  const code = codes.find((item) => kindOf(item) !== undefined);
  const kind = code === undefined ? 'reset' : (kindOf(code) as NoResponseKind);
  if ((kind === 'refused' || kind === 'dns') && isElsewhere(error, context.server))
    return proxyRefused(context, code, error);
  return noResponse(kind, context, error, code);
}

function noResponse(
  kind: NoResponseKind,
  context: FailureContext,
  cause: unknown,
  code?: string,
): NoResponseError {
  // A connection may also lose its route after the request was sent.
  const wasOpen = kind === 'refused' && /^(?:read|write)/.test(syscallOf(cause));
  const nothingSent =
    kind === 'dns' || (kind === 'refused' && !wasOpen) || code === 'UND_ERR_CONNECT_TIMEOUT';
  return new NoResponseError({
    ...context,
    kind,
    message: wording(NO_RESPONSE[kind], context.server, code === undefined ? '' : ` (${code})`),
    ...(isPlain(code, cause) && { hint: NOT_TLS }),
    ...(code !== undefined && OUTSIDE_VALIDITY.has(code) && { hint: EXPIRED }),
    nothingSent,
    cause,
  });
}

function syscallOf(error: unknown): string {
  const { syscall } = (error ?? {}) as { syscall?: unknown };
  return typeof syscall === 'string' ? syscall : '';
}

/** OpenSSL's reason is in the code, or in the message of `EPROTO`. */
function isPlain(code: string | undefined, error: unknown): boolean {
  return PLAIN.test(code === 'EPROTO' && error instanceof Error ? error.message : (code ?? ''));
}

/** Whether the connection was to another host than the server: a proxy. */
function isElsewhere(error: unknown, server: string): boolean {
  if (error instanceof AggregateError) return error.errors.some((attempt) => isElsewhere(attempt, server));
  const { port, hostname } = (error ?? {}) as { port?: unknown; hostname?: unknown };
  const url = new URL(server);
  if (typeof hostname === 'string') return hostname !== url.hostname;
  return (
    typeof port === 'number' && String(port) !== (url.port || (url.protocol === 'https:' ? '443' : '80'))
  );
}

function proxyRefused(context: FailureContext, status: string | undefined, cause: unknown): NoResponseError {
  return new NoResponseError({
    ...context,
    kind: 'refused',
    message: wording(NO_RESPONSE.proxy, context.server, status === undefined ? '' : ` (${status})`),
    hint:
      status === '407'
        ? 'The proxy requires a password: add it to HTTPS_PROXY, as in http://name:password@proxy:port.'
        : 'Check HTTPS_PROXY and HTTP_PROXY, or add the server to NO_PROXY to connect to it directly.',
    nothingSent: true,
    cause,
  });
}

function kindOf(code: string): NoResponseKind | undefined {
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'dns';
  if (REFUSED.has(code)) return 'refused';
  if (TIMEOUT.has(code)) return 'timeout';
  if (TLS.test(code)) return 'tls';
  return undefined;
}

/** Codes of an error, of the attempts it stands for (several addresses of one name), and of its causes. */
function codesOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const attempts = error instanceof AggregateError ? error.errors : [];
  const cause = 'cause' in error ? [error.cause] : [];
  return [...own, ...[...attempts, ...cause].flatMap((inner) => codesOf(inner, depth + 1))];
}
