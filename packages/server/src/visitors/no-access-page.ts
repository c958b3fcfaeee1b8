// The page for a signed-in person without access to content: a link to request access, and no details.
import type { ServerResponse } from 'node:http';
import type { ApiError } from '@pressroom/api/contract';
import { dashboardUrl } from '../content/present.ts';
import { escapeHtml, sendHtml } from '../http/pages.ts';

/** @param main the server's own address, without a trailing slash */
export function sendNoAccess(response: ServerResponse, error: ApiError, main: string, guid: string): void {
  const address = `${escapeHtml(dashboardUrl(main, guid))}/request`;
  const body = `<h1>No access</h1><p>This content is for selected people only, and you are not one of them yet.</p><p><a href="${address}">Ask for access</a></p>`;
  sendHtml(response, error.status, 'No access', body);
}
