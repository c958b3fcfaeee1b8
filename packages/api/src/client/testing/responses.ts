// Responses of a test's server.
import type { ServerResponse } from 'node:http';

/** Sends JSON with a status. */
export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Sends an APIError. */
export function refuse(response: ServerResponse, status: number, code: number, error = `code ${code}`): void {
  json(response, status, { code, error, payload: null });
}
