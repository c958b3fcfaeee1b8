// Opens the ports of the server, and closes them in order.
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { HttpServer } from '../http/http-server.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';
import { listenForContent } from '../visitors/listen-for-content.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import type { Config } from './config/settings.ts';

export interface Listening extends AsyncDisposable {
  /** Without a slash at the end. */
  readonly url: string;
  /** How well the pages of content are kept apart. */
  readonly findings: readonly OriginFinding[];
}

/** @throws when an address is in use, or not of this machine. */
export async function listen(
  http: HttpServer,
  { config, log }: { readonly config: Config; readonly log: Logger },
  places: ContentPlaces,
): Promise<Listening> {
  const { app } = http;
  const [host, port] = splitAddress(config['HTTP.Listen']);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => app.close());
  await app.listen({ host, port });
  const content = await listenForContent({ config, log }, http, places);
  stack.move();
  const { address, family, port: given } = app.server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}`,
    findings: content.findings,
    async [Symbol.asyncDispose]() {
      app.server.closeIdleConnections();
      const cut = setTimeout(() => {
        app.server.closeAllConnections();
        content.closeAllConnections();
      }, config['HTTP.ShutdownTimeout'] * 1000);
      await Promise.all([app.close(), content.close()]);
      clearTimeout(cut);
    },
  };
}

function splitAddress(listening: string): [string, number] {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(listening)!;
  return [match[1] ?? (match[2] || '0.0.0.0'), Number(match[3])];
}
