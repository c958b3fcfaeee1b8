// Paths and redirects of the hand-over of a session to a content origin.
import type { ServerResponse } from 'node:http';

export const HAND_OVER = '/__content-session__';

export function redirect(response: ServerResponse, status: number, location: string): void {
  response.writeHead(status, { Location: location, 'Cache-Control': 'no-store', 'Content-Length': 0 }).end();
}
