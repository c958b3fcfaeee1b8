// Reads a request of Slack for Bolt, which takes the body from `rawBody`, as on platforms that have read it already.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readLimited } from '../deliver/sources/read-limited.ts';

/** More than Slack sends. */
const BODY_LIMIT = 4 * 2 ** 20;

/**
 * Accepts several signing secrets during a change: Bolt knows the first, and what is signed with another is signed again.
 * Bolt verifies the time and the signature.
 * @returns the status of a refusal; null to go on
 */
export async function prepareForBolt(
  request: IncomingMessage & { rawBody?: Buffer },
  [current = '', ...others]: readonly string[],
): Promise<400 | 413 | null> {
  const text = await readLimited(request, BODY_LIMIT);
  if (text === null) return 413;
  // Bolt takes what it parses for an object: null would end the process.
  if ([text, new URLSearchParams(text).get('payload')].some((json) => json?.trim() === 'null')) return 400;
  request.rawBody = Buffer.from(text);
  const time = String(request.headers['x-slack-request-timestamp'] ?? '');
  const given = Buffer.from(String(request.headers['x-slack-signature'] ?? ''));
  const sign = (secret: string) =>
    `v0=${createHmac('sha256', secret).update(`v0:${time}:${text}`).digest('hex')}`;
  const isOld = others.some((secret) => {
    const wanted = Buffer.from(sign(secret));
    return wanted.length === given.length && timingSafeEqual(wanted, given);
  });
  if (isOld) request.headers['x-slack-signature'] = sign(current);
  return null;
}
