// Opens the server's ports, and closes them in order.
import type { Logger } from 'pino';
import { closeIdle } from '../http/close-idle.ts';
import type { HttpServer } from '../http/http-server.ts';
import { addressOf, cannotListen, listenOptions } from '../http/listen-address.ts';
import { timerMs } from '../platform/clock.ts';
import type { ContentPlaces } from '../visitors/content-places.ts';
import { listenForContent } from '../visitors/listen-for-content.ts';
import type { OriginFinding } from '../visitors/origin-findings.ts';
import type { Config } from './config/settings.ts';

export interface Listening extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  /** How well pages of content are isolated. */
  readonly findings: readonly OriginFinding[];
}

/** @throws if an address is in use, or not of this machine. */
export async function listen(
  http: HttpServer,
  { config, log }: { readonly config: Config; readonly log: Logger },
  places: ContentPlaces,
): Promise<Listening> {
  const { app } = http;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => app.close());
  const place = config['HTTP.Listen'];
  await app.listen(listenOptions(config, place)).catch(cannotListen('HTTP.Listen', place));
  const content = await listenForContent({ config, log }, http, places);
  // From here on, the caller closes it.
  stack.move();
  const { address, family, port: given } = addressOf(app.server);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${given}`,
    findings: content.findings,
    async [Symbol.asyncDispose]() {
      using _idle = closeIdle(app.server);
      const cut = setTimeout(() => {
        app.server.closeAllConnections();
        content.closeAllConnections();
      }, timerMs(config['HTTP.ShutdownTimeout']));
      await Promise.all([app.close(), content.close()]);
      clearTimeout(cut);
    },
  };
}
