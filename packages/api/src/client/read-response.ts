// Reads a response: limits its size, and classifies failures.
import { collectBytes } from '../contract/collect-bytes.ts';
import { isObject } from '../contract/is-object.ts';
import { INVALID_RESPONSE, wording } from './failure-texts.ts';
import { InvalidResponseError, RefusedError, type FailureContext } from './failures.ts';
import { NEEDS_TLS } from './hints.ts';
import { toFailure } from './no-response.ts';
import type { RawResponse } from './transport.ts';

/** Maximum bytes of a JSON response. */
export const MAX_JSON_BYTES = 64 * 1024 * 1024;
/** Limit for error pages, in bytes. */
const MAX_ERROR_BYTES = 1024 * 1024;
/** What nginx, Apache and Go respond to a request without TLS. */
const OF_TLS_SERVERS =
  /plain HTTP request was sent to HTTPS|plain HTTP to an SSL|HTTP request to an HTTPS server/i;
const MAX_RETRY_AFTER_MS = 24 * 3600 * 1000;

export interface ReadOptions {
  context: FailureContext;
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now: number;
  /** Removes secrets that a server may echo. */
  redact: (text: string) => string;
}

/** Throws RefusedError or InvalidResponseError unless the status is a success; the body is read then. */
export async function refuseFailures(response: RawResponse, options: ReadOptions): Promise<void> {
  const { status } = response;
  if (status >= 200 && status < 300) return;
  const { context, redact } = options;
  if (status >= 300 && status < 400) {
    await discard(response);
    throw redirected(response, context, redact);
  }
  const text = await readText(response, MAX_ERROR_BYTES, options);
  const retryAfter = retryAfterOf(response, options.now);
  const parsed = parseJson(redact(text));
  if (isObject(parsed)) {
    const code = Number.isInteger(parsed['code']) ? (parsed['code'] as number) : null;
    const given = [parsed['error'], parsed['message']].find(
      (item) => typeof item === 'string' && item !== '',
    );
    throw new RefusedError({
      ...context,
      status,
      code,
      message: typeof given === 'string' ? clip(given) : `The server returned status ${status}.`,
      payload: isObject(parsed['payload']) ? parsed['payload'] : null,
      retryAfter,
    });
  }
  const kind = looksLikeHtml(response, text) ? 'html' : 'not-json';
  throw new InvalidResponseError({
    ...context,
    kind,
    status,
    retryAfter,
    ...(status === 400 && OF_TLS_SERVERS.test(text) && { hint: NEEDS_TLS }),
    message: {
      text: kind === 'html' ? INVALID_RESPONSE.statusPage : INVALID_RESPONSE.statusOther,
      values: [context.server, String(status), kind === 'html' ? titleOf(redact(text)) : ''],
    },
  });
}

/** Reads the JSON of a successful response. Throws InvalidResponseError or NoResponseError. */
export async function readJson(response: RawResponse, options: ReadOptions): Promise<unknown> {
  const text = await readText(response, MAX_JSON_BYTES, options);
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw notData(response, text, options);
}

/** Reads a successful response without data. Throws InvalidResponseError for a web page, such as a proxy's sign-in. */
export async function readNothing(response: RawResponse, options: ReadOptions): Promise<void> {
  const text = await discard(response);
  if (text.trim() !== '' && looksLikeHtml(response, text)) throw notData(response, text, options);
}

function notData(response: RawResponse, text: string, options: ReadOptions): InvalidResponseError {
  const html = looksLikeHtml(response, text);
  return new InvalidResponseError({
    ...options.context,
    kind: html ? 'html' : 'not-json',
    status: response.status,
    message: {
      text: html ? INVALID_RESPONSE.page : INVALID_RESPONSE.notJson,
      values: [options.context.server, html ? titleOf(options.redact(text)) : ''],
    },
  });
}

/** Drains a response so that its connection can be reused; returns what it read. */
export async function discard(response: RawResponse): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    let size = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MAX_ERROR_BYTES) break;
    }
  } catch {
    // Only the status matters.
  }
  return Buffer.concat(chunks).toString();
}

async function readText(response: RawResponse, limit: number, options: ReadOptions): Promise<string> {
  const bytes = await collectBytes(response.body as AsyncIterable<Buffer>, limit).catch((error: unknown) => {
    throw toFailure(error, options.context, options.signal);
  });
  if (bytes === null) {
    throw new InvalidResponseError({
      ...options.context,
      kind: 'too-large',
      status: response.status,
      message: wording(INVALID_RESPONSE.tooLarge, options.context.server, String(limit)),
    });
  }
  return bytes.toString('utf8');
}

function redirected(
  response: RawResponse,
  context: FailureContext,
  redact: (text: string) => string,
): InvalidResponseError {
  const location = redact(String(response.headers['location'] ?? ''));
  const from = new URL(context.server);
  const target = URL.canParse(location, `${context.server}/`)
    ? new URL(location, `${context.server}/`)
    : undefined;
  let hint: string | undefined;
  if (target !== undefined && from.protocol === 'http:' && target.protocol === 'https:') {
    const path = target.pathname.includes('/__') ? target.pathname.replace(/\/__.*$/, '') : from.pathname;
    hint = `Use ${target.origin}${path.replace(/\/+$/, '')} as the address of the server.`;
  } else if (target !== undefined && target.origin !== from.origin) {
    hint = `It leads to ${target.origin}, perhaps a sign-in page: sign in there, or use the direct address of the server.`;
  }
  return new InvalidResponseError({
    ...context,
    kind: 'redirect',
    status: response.status,
    message: {
      text: INVALID_RESPONSE.redirect,
      values: [context.server, target === undefined ? 'nowhere' : target.origin + target.pathname],
    },
    hint,
  });
}

/** Milliseconds of a Retry-After header, in seconds or as a date; null without one. */
function retryAfterOf(response: RawResponse, now: number): number | null {
  const text = String(response.headers['retry-after'] ?? '').trim();
  if (text === '') return null;
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? null : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function looksLikeHtml(response: RawResponse, text: string): boolean {
  return (
    /html/i.test(String(response.headers['content-type'] ?? '')) ||
    /^\s*<(!doctype|html|head|body)/i.test(text)
  );
}

function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]{1,100})/i.exec(html)?.[1]?.trim().replace(/\s+/g, ' ');
  return title ? ` ("${title}")` : '';
}

function clip(text: string): string {
  return text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
}
