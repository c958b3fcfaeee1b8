// Observes requests: for metrics and traces.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface RequestObserver {
  /** To be called with each request before it is answered. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Sets the route of a request. @param route its pattern; undefined for none */
  routed(request: IncomingMessage, route: string | undefined): void;
}

/** The route of addresses without a handler. */
export const NO_ROUTE = 'none';

/** The route of requests outside Fastify: pages of content, and cached responses. No pattern looks like these. */
export function routeOfUnnamed({ url }: IncomingMessage): string {
  return url?.startsWith('/__') === true ? 'cached response' : 'content';
}

/** The client disconnected before the response, as in nginx. */
export const GONE = 499;

export function statusOf(response: ServerResponse): number {
  return response.headersSent ? response.statusCode : GONE;
}

/** Undefined without observers, so that requests pay nothing. */
export function combineObservers(observers: readonly RequestObserver[]): RequestObserver | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (request, response) => observers.forEach((one) => one.begin(request, response)),
    routed: (request, route) => observers.forEach((one) => one.routed(request, route)),
  };
}
