// Sends audit entries to a webhook, signed, so that the receiver can verify the sender and the time.
import { createHmac } from 'node:crypto';
import type { SentEntry } from './entry.ts';

const TIMEOUT_MS = 10_000;

/** @throws when the receiver does not respond with a status of 200 to 299. */
export function createWebhookSender(address: string, secret: string, now: () => number = Date.now) {
  return (entries: readonly SentEntry[]): Promise<void> => postSigned(address, secret, { entries }, now);
}

/** @throws when the receiver does not respond with a status of 200 to 299. */
export async function postSigned(
  address: string,
  secret: string,
  content: object,
  now: () => number = Date.now,
): Promise<void> {
  const body = JSON.stringify(content);
  const time = Math.floor(now() / 1000);
  const response = await fetch(address, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Pressroom-Signature': signatureOf(body, secret, time),
    },
    body,
    // Only the configured address gets them.
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`it returns ${response.status}`);
}

/** `t=` seconds since the epoch, `v1=` HMAC-SHA-256 in hex over the time, a dot and the body. */
export function signatureOf(body: string, secret: string, time: number): string {
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}
