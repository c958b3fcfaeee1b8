// For a server that stops: connections close once no request runs on them. Node closes those that are idle at that
// moment only, and clients keep the others.
import type { Server } from 'node:http';

const LOOK_MS = 100;

export function closeIdle(server: Pick<Server, 'closeIdleConnections'>): Disposable {
  server.closeIdleConnections();
  const looking = setInterval(() => server.closeIdleConnections(), LOOK_MS);
  return { [Symbol.dispose]: () => clearInterval(looking) };
}
