// The host of a request: absolute targets must be accepted (RFC 9112, 3.2.2), several Host headers refused, and
// none over HTTP/1.1 (3.2).
import type { IncomingMessage } from 'node:http';

const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/** To be called before anything reads the request. */
export function settleHost(request: IncomingMessage): void {
  acceptAbsoluteForm(request);
  const hosts = countHosts(request);
  // Not a valid host. Of several, Node.js takes the first, a proxy in front perhaps the last.
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) request.headers.host = '';
}

/** Turns `http://host/path` into `/path`. Its host counts, not that of the Host header. */
function acceptAbsoluteForm(request: IncomingMessage): void {
  const { url = '/' } = request;
  if (url.startsWith('/')) return;
  const [, host, rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined) return;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
