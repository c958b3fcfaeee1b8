// What is told of each request: metrics count it, traces follow it.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface RequestObserver {
  /** To be called with each request, before it is answered. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Says which route answers it. @param route its pattern; undefined where there is none */
  routed(request: IncomingMessage, route: string | undefined): void;
}

/** The route of addresses that nothing answers. */
export const NO_ROUTE = 'none';

/** The route of what no pattern names: pages of content, and answers that were kept. A pattern never looks like these. */
export function routeOfUnnamed({ url }: IncomingMessage): string {
  return url?.startsWith('/__') === true ? 'kept answer' : 'content';
}

/** Of whoever goes away before an answer, as nginx counts it. */
export const GONE = 499;

export function statusOf(response: ServerResponse): number {
  return response.headersSent ? response.statusCode : GONE;
}

/** Undefined where nobody wants to be told: requests are on the way of everything. */
export function combineObservers(observers: readonly RequestObserver[]): RequestObserver | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin: (request, response) => observers.forEach((one) => one.begin(request, response)),
    routed: (request, route) => observers.forEach((one) => one.routed(request, route)),
  };
}
