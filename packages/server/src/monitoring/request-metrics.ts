// Request metrics: count and duration by route and status.
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import { Histogram, type Registry } from 'prom-client';
import { GONE, NO_ROUTE, routeOfUnnamed, statusOf, type RequestObserver } from './request-observer.ts';

/** Seconds. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 3, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createRequestMetrics(registry: Registry): RequestObserver {
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
        const route = routes.get(request) ?? routeOfUnnamed(request);
        const labels = { method: methodOf(request), route, status: labelOf(statusOf(response)) };
        seconds.observe(labels, (performance.now() - began) / 1000);
      });
    },
    routed: (request, route) => void routes.set(request, route ?? NO_ROUTE),
  };
}

/** Clients choose methods, and content chooses statuses: unknown ones must not create series. */
function methodOf({ method = '' }: IncomingMessage): string {
  return METHODS.has(method) ? method : 'other';
}

function labelOf(status: number): string {
  return status in STATUS_CODES || status === GONE ? String(status) : `${Math.floor(status / 100)}xx`;
}
