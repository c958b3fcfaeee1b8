// Notifies the Slack bot of a started deploy, so that channels can follow it: a signed `POST /hooks/deployments`.
import { createHmac } from 'node:crypto';

/** Where deploys are handed over, and in whose name. */
export interface HandOver {
  /** Address of the bot, or of its hook. */
  url: string;
  /** Shared with the bot; only a signature made with it is sent. */
  secret: string;
  source: 'cli' | 'ci' | 'vscode';
}

export interface HandedOver {
  server: string;
  content_guid: string;
  task_id: string;
  bundle_id: string;
  /** Who deploys; the bot names the owner of the content otherwise. */
  user_guid?: string | undefined;
}

const PATH = '/hooks/deployments';
/** Milliseconds: a deploy does not wait for a bot. */
const TIMEOUT = 3000;

/** Never throws: answers what went wrong in a sentence, or null. */
export async function handOver(to: HandOver, started: HandedOver, now: () => number): Promise<string | null> {
  const body = JSON.stringify({ ...started, source: to.source });
  const time = Math.floor(now() / 1000);
  const signature = createHmac('sha256', to.secret).update(`v0:${time}:${body}`).digest('hex');
  const address = to.url.replace(/\/+$/, '');
  try {
    const response = await fetch(address.endsWith(PATH) ? address : address + PATH, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
      headers: {
        'content-type': 'application/json',
        'x-pressroom-timestamp': String(time),
        'x-pressroom-signature': `v0=${signature}`,
      },
    });
    await response.body?.cancel();
    return response.ok ? null : `The Slack bot rejected the deploy: HTTP ${response.status}.`;
  } catch (error) {
    return `The Slack bot could not be notified of the deploy: ${(error as Error).message}`;
  }
}
