// What a signed-in person sees of content that they may not view: where to ask for access, and nothing about it.
import type { ServerResponse } from 'node:http';
import type { ApiError } from '@pressroom/api/contract';
import { escapeHtml, sendHtml } from '../http/pages.ts';
import { DASHBOARD_PREFIX } from '../http/paths.ts';

/** @param main the server's own address, without a slash at the end */
export function sendNoAccess(response: ServerResponse, error: ApiError, main: string, guid: string): void {
  const address = `${escapeHtml(main)}${DASHBOARD_PREFIX}/content/${guid}/request`;
  const body = `<h1>No access</h1><p>This content is for selected people only, and you are not one of them yet.</p><p><a href="${address}">Ask for access</a></p>`;
  sendHtml(response, error.status, 'No access', body);
}
