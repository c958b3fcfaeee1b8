// A server that records requests, and optionally forwards them.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorder extends AsyncDisposable {
  readonly url: string;
  /** `METHOD path authorization` of all requests, in order. */
  readonly calls: string[];
}

export type Responder = (request: IncomingMessage, response: ServerResponse) => unknown;

/** @param answer handles every request; not awaited. */
export async function startRecorder(respond: Responder): Promise<Recorder> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`.trim());
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards requests to another server and returns its responses. */
export function passTo(target: () => string): Responder {
  return (request, response) => {
    const { method, headers, url } = request;
    const onward = httpRequest(`${target()}${url}`, { ...(method && { method }), headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 500, upstream.headers);
      upstream.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
}
