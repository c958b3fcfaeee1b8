// What a person sees while the first process of an application starts: a page that turns into the application.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { beginHtml, escapeHtml } from '../http/pages.ts';
import type { ApplicationEngine } from '../runtime/kinds/index.ts';
import type { Pool } from '../runtime/pool/pool.ts';
import { untilGone } from './proxy/until-gone.ts';

/** Milliseconds until the page is shown: most processes that are about to listen make it in that time. */
const PATIENCE_MS = 700;
/** Milliseconds after which proxies in front are shown that the connection is alive. */
const SIGN_OF_LIFE_MS = 10_000;
/** Seconds; what ends sooner than this when nobody uses it would be gone before the browser has come back. */
const SHORTEST_IDLE = 5;
/** Seconds after which programs that look like browsers may come back. */
const RETRY_AFTER = 1;

const SCRIPT = 'location.reload()';
/** The same for browsers without JavaScript; with a # in its address they do not load the page again by themselves. */
const AGAIN = `<script>${SCRIPT}</script><noscript><meta http-equiv="refresh" content="0"><p><a href="">Open the application</a></p>
</noscript></body></html>`;

/**
 * A browser that goes to a page, in a window of its own: what is embedded, or read by programs and scripts, is answered
 * by the application alone.
 */
export function isPageVisit({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers.authorization === undefined &&
    /\btext\/html\b/.test(headers.accept ?? '')
  );
}

/** Whether people look at what an engine answers, rather than programs. */
export function hasPages({ tag }: ApplicationEngine): boolean {
  return tag === 'run_app';
}

/**
 * Waits until a process listens. Where that takes longer than people like to look at nothing, the visitor is shown a
 * page that ends, and is loaded again, once it does or has failed.
 * @returns whether the request was answered so; if not, a process is there.
 * @throws Unavailable before anything was answered.
 */
export async function showStarting(
  response: ServerResponse,
  pool: Pool,
  { title, idleTimeout }: { readonly title: string; readonly idleTimeout: number },
): Promise<boolean> {
  if (pool.isReady || idleTimeout < SHORTEST_IDLE) return false;
  const started = pool.acquire(untilGone(response)).then((lease) => lease.release());
  const isSoon = await Promise.race([started.then(() => true), delay(PATIENCE_MS, false, { ref: false })]);
  if (isSoon) return false;
  response.setHeader('Retry-After', RETRY_AFTER);
  const body = `<h1>Starting ${escapeHtml(title)}</h1>
<div role="status"><p>This page opens as soon as the application is ready.</p></div><div class="waiting"></div>`;
  beginHtml(response, 503, `Starting ${title}`, body, { script: SCRIPT });
  const alive = setInterval(() => response.write('\n'), SIGN_OF_LIFE_MS).unref();
  // Why it failed is said by the answer to the next request.
  await started.catch(() => undefined).finally(() => clearInterval(alive));
  response.end(AGAIN);
  return true;
}
