// The second port, for content only, if configured; and findings about origins at the start.
import { once } from 'node:events';
import type { Logger } from 'pino';
import { closeIdle } from '../http/close-idle.ts';
import type { HttpServer } from '../http/http-server.ts';
import { addressOf, cannotListen, listenOptions } from '../http/listen-address.ts';
import type { Config } from '../main/config/settings.ts';
import type { ContentPlaces } from './content-places.ts';
import { contentListenAddress, originFindings, type OriginFinding } from './origin-findings.ts';

interface Parts {
  readonly config: Config;
  readonly log: Logger;
}

export interface ContentListener {
  readonly port: number | null;
  readonly findings: readonly OriginFinding[];
  close(): Promise<void>;
  closeAllConnections(): void;
}

/** To be called when the server listens. @throws if the configured port is unavailable. */
export async function listenForContent(
  { config, log }: Parts,
  { app, createContentServer }: HttpServer,
  places: ContentPlaces,
): Promise<ContentListener> {
  const main = addressOf(app.server).port;
  const wanted = contentListenAddress(config);
  const server = wanted && createContentServer();
  let port: number | null = null;
  if (server) {
    const address = listenOptions(config, wanted.address);
    try {
      await once(server.listen(address), 'listening');
      port = addressOf(server).port;
    } catch (error) {
      if (!wanted.isAuto) cannotListen('HTTP.ContentListen', wanted.address)(error);
      log.warn(error, 'could not open the second port for content: set HTTP.ContentListen');
    }
  }
  places.listensOn(main, port);
  const findings = originFindings(config, port);
  for (const { protected: isProtected, message } of findings) {
    if (isProtected) log.info('Origins: %s', message);
    else log.warn('Not protected: %s', message);
  }
  return {
    port,
    findings,
    async close() {
      if (port === null || !server) return;
      using _idle = closeIdle(server);
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
    closeAllConnections: () => server?.closeAllConnections(),
  };
}
