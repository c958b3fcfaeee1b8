// The HTTP requests of the bot: /health, /metrics, events of the content server, and Slack's requests.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { HTTPReceiver, HTTPReceiverDeferredRequestError, type Receiver } from '@slack/bolt';
import { takeSignedEvents, type SignedEventsOptions } from '../deliver/sources/signed-events.ts';
import type { WorkQueue } from '../deliver/transport/work-queue.ts';
import type { Services } from '../services.ts';
import type { BotConfig } from './config.ts';
import { readHealth } from './health.ts';
import type { Metrics } from './metrics.ts';
import { prepareForBolt } from './prepare-for-bolt.ts';
import type { Socket } from './socket.ts';

export interface RequestListenerOptions {
  readonly config: BotConfig;
  readonly services: Services;
  /** The channel that gets all deploys; null for none. */
  readonly channel: SignedEventsOptions['channel'];
  readonly receiver: Receiver;
  readonly metrics: Metrics;
  readonly queue: WorkQueue;
  /** Null if Slack sends its requests over HTTP. */
  readonly socket: Socket | null;
}

export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { config, services, channel, receiver, metrics, queue, socket } = options;

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').replace(/\?.*$/, '');
    if (path === '/health') {
      const health = await readHealth(services.store, socket);
      response.writeHead(health.status === 'ok' ? 200 : 503, { 'content-type': 'application/json' });
      const live = services.announcer.live;
      return void response.end(JSON.stringify({ ...health, live_deploys: live, waiting: queue.waiting }));
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.registry.contentType });
      return void response.end(await metrics.registry.metrics());
    }
    const { eventsSecrets: secrets } = config;
    if (path === '/hooks/events' && request.method === 'POST' && secrets.length > 0) {
      return takeSignedEvents({ secrets, services, channel }, request, response);
    }
    if (receiver instanceof HTTPReceiver && path.startsWith('/slack/')) {
      try {
        if (config.receive.kind === 'http' && request.method === 'POST') {
          const refusal = await prepareForBolt(request, config.receive.signingSecrets);
          if (refusal !== null) return void response.writeHead(refusal, { connection: 'close' }).end();
        }
        return receiver.requestListener(request, response) as undefined;
      } catch (error) {
        if (!(error instanceof HTTPReceiverDeferredRequestError)) throw error;
      }
    }
    response.writeHead(404).end();
  }

  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      // Bolt's errors contain the request with its headers: only the message is logged.
      services.log.error(
        { error: error instanceof Error ? error.message : String(error) },
        'a request failed',
      );
      if (!response.headersSent) response.writeHead(500).end();
    });
  };
}
