// The server's few pages outside the dashboard: layout, and messages when content cannot be shown.
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { withoutDirections } from '@pressroom/api/contract';

/** Colours as in the dashboard. */
const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif;
    --ink: light-dark(#1d2a30, #e7ecef); --quiet: light-dark(#54626a, #a3b1ba); --line: light-dark(#d4dadd, #38464e);
    --paper: light-dark(#fbfaf7, #141c21); --card: light-dark(#fff, #1c262c); --accent: light-dark(#0f5f68, #7fd0d9);
    --accent-ink: light-dark(#fff, #0c1417) }
  * { box-sizing: border-box }
  body { display: grid; align-content: center; justify-items: center; min-height: 100vh; margin: 0; padding: 2rem 1rem;
    background: var(--paper); color: var(--ink) }
  main { width: min(26rem, 100%); padding: 1.75rem; background: var(--card); border: 1px solid var(--line);
    border-radius: 8px; overflow-wrap: anywhere }
  main.wide { width: min(60rem, 100%) }
  h1 { margin: 0 0 .75rem; font-size: 1.45rem; line-height: 1.25 }
  h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem }
  a { color: var(--accent) }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  label { display: block; margin: 0 0 .75rem }
  input, button { font: inherit; padding: .5rem; min-height: 44px; width: 100%; color: inherit; background: var(--card);
    border: 1px solid var(--quiet); border-radius: 4px }
  button { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); cursor: pointer }
  pre { overflow: auto; max-height: 24rem; padding: .8rem; border: 1px solid var(--line); white-space: pre-wrap;
    font: .85rem/1.45 ui-monospace, monospace }
  .error { color: light-dark(#a31526, #ff9a90) }
  .quiet { color: var(--quiet) }
  .codes { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
  .brand { display: flex; gap: .5rem; align-items: center; margin: 0 0 1.25rem; font-weight: 700 }
  svg { background: #fff; width: 12rem; height: 12rem }
  .brand svg { background: none; width: 1.5rem; height: 1.5rem; color: var(--accent) }
  .waiting { height: 4px; margin: 1.25rem 0 0; border-radius: 2px; background: linear-gradient(90deg, var(--line) 40%,
    var(--accent) 50%, var(--line) 60%) 0 0 / 250% 100%; animation: waiting 1.6s linear infinite }
  @keyframes waiting { from { background-position: 100% 0 } to { background-position: -25% 0 } }
  @media (prefers-reduced-motion: reduce) { .waiting { animation: none } }
`;

/** A sheet in a press, in the colour of the surrounding text. */
export const LOGO =
  '<svg viewBox="0 0 24 24" aria-hidden="true"><path fill="currentColor" d="M3 3h18v4H3zM6 9h12v12H6zm2.5 3v1.5h7V12zm0 3.5V17h5v-1.5z"/></svg>';
/** For `<link rel="icon">`, in light and dark. */
export const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:#0f5f68}@media(prefers-color-scheme:dark){path{fill:#7fd0d9}}</style>` +
      `<path d="M3 3h18v4H3zM6 9h12v12H6zm2.5 3v1.5h7V12zm0 3.5V17h5v-1.5z"/></svg>`,
  );

/** No scripts, no frames, no external resources. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; form-action 'self'; ` +
    "frame-ancestors 'none'; base-uri 'none'",
  // A page of content that opens one of these has no access to it.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function sendPage(response: ServerResponse, status: number, title: string, text: string): void {
  sendHtml(response, status, title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`);
}

export interface PageOptions {
  /** The only script that the page may run. */
  readonly script?: string;
  /** For logs and tables. */
  readonly isWide?: boolean;
}

/** @param body HTML with its variable parts escaped. */
export function sendHtml(
  response: ServerResponse,
  status: number,
  title: string,
  body: string,
  options: PageOptions = {},
): void {
  const { script = '' } = options;
  const run = script === '' ? '' : `<script>${script}</script>`;
  const html = `${beginningOf(title, body, options)}</main>${run}</body></html>`;
  response.writeHead(status, { ...headersWith(script), 'Content-Length': Buffer.byteLength(html) }).end(html);
}

/**
 * Sends the first part of a page while work continues; the rest follows.
 * @param body HTML with its variable parts escaped.
 */
export function beginHtml(
  response: ServerResponse,
  status: number,
  title: string,
  body: string,
  { script = '' }: PageOptions = {},
): void {
  // Tells proxies not to buffer the beginning.
  response.writeHead(status, { ...headersWith(script), 'X-Accel-Buffering': 'no' });
  response.write(`${beginningOf(title, body, {})}</main>\n`);
}

function headersWith(script: string): Record<string, string> {
  const policy = HEADERS['Content-Security-Policy'];
  const scripts = script === '' ? '' : `; script-src 'sha256-${hash('sha256', script, 'base64')}'`;
  return { ...HEADERS, 'Content-Security-Policy': policy + scripts };
}

function beginningOf(title: string, body: string, { isWide = false }: PageOptions): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="${ICON}"><style>${STYLE}</style></head><body>
<main${isWide ? ' class="wide"' : ''}><p class="brand">${LOGO}Pressroom</p>${body}`;
}

/** For text by others: it changes neither the page nor how the text around it reads. */
export function escapeHtml(text: string): string {
  return withoutDirections(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
