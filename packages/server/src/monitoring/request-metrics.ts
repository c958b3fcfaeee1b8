// Requests as metrics: how many, by route and status, and how long their answers took.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Histogram, type Registry } from 'prom-client';

export interface RequestMetrics {
  /** To be called with each request, before it is answered. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Says which route answers it. @param route its pattern; undefined where there is none */
  routed(request: IncomingMessage, route: string | undefined): void;
}

/** Seconds. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30];
/** Of what no route answers: pages of content, and answers that were kept. A pattern never looks like these. */
const CONTENT = 'content';
const KEPT = 'kept answer';
const NONE = 'none';

export function createRequestMetrics(registry: Registry): RequestMetrics {
  const routes = new WeakMap<IncomingMessage, string>();
  const seconds = new Histogram({
    name: 'pressroom_http_request_duration_seconds',
    help: 'Time until requests were answered. WebSockets are not among them',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    begin(request, response) {
      const began = performance.now();
      response.once('close', () => {
        const otherwise = request.url?.startsWith('/__') === true ? KEPT : CONTENT;
        const route = routes.get(request) ?? otherwise;
        // Whoever goes away before an answer has none: 499, as nginx counts it.
        const status = response.headersSent ? response.statusCode : 499;
        const labels = { method: request.method ?? '', route, status };
        seconds.observe(labels, (performance.now() - began) / 1000);
      });
    },
    routed: (request, route) => void routes.set(request, route ?? NONE),
  };
}
