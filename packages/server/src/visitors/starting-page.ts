// The page a person sees while the first process of an application starts: it becomes the application.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { beginHtml, escapeHtml } from '../http/pages.ts';
import type { ApplicationEngine } from '../runtime/kinds/index.ts';
import type { Pool } from '../runtime/pool/pool.ts';
import { untilGone } from './proxy/until-gone.ts';

/** Milliseconds until the page is shown: most processes start within that time. */
const PATIENCE_MS = 700;
/** Milliseconds between bytes that keep the connection alive through proxies. */
const SIGN_OF_LIFE_MS = 10_000;
/** Seconds; with a shorter idle timeout, the process would end before the browser returns. */
const MIN_IDLE_SECONDS = 5;
/** Seconds of Retry-After for programs that look like browsers. */
const RETRY_AFTER = 1;

const SCRIPT = 'location.reload()';
/** For browsers without JavaScript; with a # in the address they do not reload by themselves. */
const AGAIN = `<script>${SCRIPT}</script><noscript><meta http-equiv="refresh" content="0"><p><a href="">Open the application</a></p>
</noscript></body></html>`;

/** A browser's top-level navigation: requests of frames, programs and scripts are answered by the application only. */
export function isPageVisit({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers.authorization === undefined &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}

/** Whether people, rather than programs, see an engine's responses. */
export function hasPages({ tag }: ApplicationEngine): boolean {
  return tag === 'run_app';
}

/**
 * Waits until a process listens. If that takes long, the visitor gets a page that reloads once it does or has failed.
 * @returns whether the request was answered with the page; if not, a process is ready.
 * @throws Unavailable before anything was answered.
 */
export async function showStarting(
  response: ServerResponse,
  pool: Pool,
  { title, idleTimeout }: { readonly title: string; readonly idleTimeout: number },
): Promise<boolean> {
  if (pool.isReady || idleTimeout < MIN_IDLE_SECONDS) return false;
  const started = pool.acquire(untilGone(response)).then((lease) => lease.release());
  const isSoon = await Promise.race([started.then(() => true), delay(PATIENCE_MS, false, { ref: false })]);
  if (isSoon) return false;
  response.setHeader('Retry-After', RETRY_AFTER);
  const body = `<h1>Starting ${escapeHtml(title)}</h1>
<div role="status"><p>This page opens as soon as the application is ready.</p></div><div class="waiting"></div>`;
  beginHtml(response, 503, `Starting ${title}`, body, { script: SCRIPT });
  const alive = setInterval(() => response.write('\n'), SIGN_OF_LIFE_MS).unref();
  // The next request reports the failure.
  await started.catch(() => undefined).finally(() => clearInterval(alive));
  response.end(AGAIN);
  return true;
}
