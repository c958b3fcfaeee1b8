// Serves `GET /metrics` at a separate address, as it is not for visitors.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { addressOf, cannotListen, splitAddress } from '../http/listen-address.ts';

export interface MetricsListener extends AsyncDisposable {
  readonly port: number;
}

/** @param address as in the setting. @throws if it is in use, or not of this machine. */
export async function listenForMetrics(
  address: string,
  registry: Registry,
  log: Logger,
): Promise<MetricsListener> {
  const server = createServer((request, response) => {
    // Null for an invalid path, such as `//`.
    const url = URL.parse(request.url ?? '/', 'http://metrics');
    if (request.method !== 'GET' || url?.pathname !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('GET /metrics\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      (error: unknown) => {
        log.error({ err: error }, 'metrics cannot be read');
        response.writeHead(503, { 'Content-Type': 'text/plain' }).end('The database cannot be reached.\n');
      },
    );
  });
  server.listen(splitAddress(address));
  await once(server, 'listening').catch(cannotListen('Metrics.PrometheusListen', address));
  return {
    port: addressOf(server).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
