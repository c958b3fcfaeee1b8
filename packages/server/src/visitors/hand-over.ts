// How a session is handed over to an origin of content: where, and by redirects.
import type { ServerResponse } from 'node:http';

export const HAND_OVER = '/__content-session__';

export function redirect(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
}
