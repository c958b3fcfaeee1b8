// Accepts two signing secrets during a change: requests signed with the other one are signed again for Bolt, which
// knows one.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { readLimited } from '../deliver/sources/read-limited.ts';

/** More than Slack sends. */
const BODY_LIMIT = 5_000_000;

/**
 * Bolt verifies the time, and the signature with the first secret; it reads the body from `rawBody`, as on platforms
 * that have read it already.
 */
export async function acceptOldSignature(
  request: IncomingMessage & { rawBody?: Buffer },
  [current, ...others]: readonly string[],
): Promise<void> {
  if (current === undefined || others.length === 0 || request.method !== 'POST') return;
  const text = (await readLimited(request, BODY_LIMIT)) ?? '';
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
}
