// Content below a bar that names its owner and links to the dashboard, for collaborators. The content is in a frame of
// its own origin: its pages are not modified, so its policies, sockets and downloads work as usual.
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { dashboardUrl } from '../content/present.ts';
import type { ContentRow } from '../content/store.ts';
import { escapeHtml, ICON, LOGO } from '../http/pages.ts';

export const VIEW_PATH = '/__view__';

export interface View {
  readonly content: ContentRow;
  /** Username of the owner; null if the visitor may not know. */
  readonly owner: string | null;
  /** The server's own address, without a trailing slash. */
  readonly main: string;
}

const STYLE = `
  :root { color-scheme: light dark; font: 14px/1.4 system-ui, sans-serif }
  body { display: flex; flex-direction: column; height: 100vh; height: 100dvh; margin: 0 }
  header { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: center; padding: .35rem .75rem;
    color: light-dark(#1d2a30, #e7ecef); background: light-dark(#fff, #1c262c);
    border-bottom: 1px solid light-dark(#d4dadd, #38464e) }
  a { color: light-dark(#0f5f68, #7fd0d9) }
  a:focus-visible { outline: 3px solid; outline-offset: 2px }
  .back { display: flex; gap: .4rem; align-items: center; font-weight: 600 }
  svg { width: 1.1rem; height: 1.1rem }
  h1 { margin: 0; font-size: 1rem; overflow-wrap: anywhere }
  .quiet { color: light-dark(#54626a, #a3b1ba) }
  .off { margin-left: auto }
  iframe { flex: 1; width: 100%; border: 0; background: Canvas }
`;

/**
 * Pages that cannot be shown in the frame are shown without it: other sites, pages that forbid frames, pages of the
 * server.
 */
const SCRIPT = `
const frame = document.querySelector('iframe');
const title = document.title;
function shown() {
  const inner = frame.contentDocument;
  if (!inner) { location.replace(frame.src); return; }
  if (inner.title) document.title = inner.title + ' · ' + title;
  inner.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (link && link.origin !== location.origin && !link.target) link.target = '_top';
  }, true);
}
frame.addEventListener('load', shown);
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
  'img-src data:',
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** @param query of the content's address, with its question mark */
export function sendView(response: ServerResponse, { content, owner, main }: View, query: string): void {
  const name = escapeHtml(content.title ?? content.name);
  const source = escapeHtml(`./${query}`);
  const dashboard = escapeHtml(dashboardUrl(main, content.guid));
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="${ICON}"><style>${STYLE}</style></head><body>
<header><a class="back" href="${dashboard}">${LOGO}Dashboard</a><h1>${name}</h1>${
    owner === null ? '' : `<span class="quiet">by ${escapeHtml(owner)}</span>`
  }<a class="off" href="?bar=off">Hide this bar</a></header>
<iframe src="${source}" title="${name}"></iframe><script>${SCRIPT}</script></body></html>`;
  response
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': Buffer.byteLength(html),
      'Content-Security-Policy': POLICY,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
    .end(html);
}
