// The few pages of the server itself: their frame, and messages where content cannot be shown.
import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { display: grid; place-content: center; min-height: 90vh; margin: 0 1rem }
  main { width: min(24rem, 92vw) }
  label { display: block; margin: 0 0 .75rem }
  input, button { font: inherit; padding: .5rem; width: 100%; box-sizing: border-box }
  .error { color: light-dark(#b00020, #ff8a80) }
  .codes { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
  svg { background: #fff; width: 12rem; height: 12rem }
`;

/** No scripts, no frames, nothing from elsewhere. */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy':
    `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; form-action 'self'; ` +
    "frame-ancestors 'none'; base-uri 'none'",
  // A page of content that opens one of these cannot reach into it.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function sendPage(response: ServerResponse, status: number, title: string, text: string): void {
  sendHtml(response, status, title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`);
}

/**
 * @param body HTML whose variable parts are escaped.
 * @param script of the page, the only one that it runs.
 */
export function sendHtml(
  response: ServerResponse,
  status: number,
  title: string,
  body: string,
  script = '',
): void {
  const run = script === '' ? '' : `<script>${script}</script>`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body><main>${body}</main>${run}</body></html>`;
  const policy = HEADERS['Content-Security-Policy'];
  const scripts = script === '' ? '' : `; script-src 'sha256-${hash('sha256', script, 'base64')}'`;
  response
    .writeHead(status, {
      ...HEADERS,
      'Content-Security-Policy': policy + scripts,
      'Content-Length': Buffer.byteLength(html),
    })
    .end(html);
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
