// A deploy was refused since approvals are missing. Rights and rules change without an event: the message of the
// release may still say that it is approved.
import { RefusedError } from '@pressroom/api/client';
import type { Services } from '../../services.ts';
import type { Invoker } from '../transport/reply.ts';

/** With the rights of the invoker, who may deploy. */
export async function refreshRelease(
  { store, alerts, now }: Pick<Services, 'store' | 'alerts' | 'now'>,
  { team, channel, user }: Invoker,
  content: string,
  error: unknown,
): Promise<void> {
  const bundle = error instanceof RefusedError ? error.payload?.['release'] : null;
  if (typeof bundle !== 'string') return;
  const release = { team, channel, content, bundle };
  if ((await store.releases.find(release)) === null) return;
  const id = `refused:${bundle}:${team}:${channel}:${now()}`;
  await alerts.send({ id, team, channel, reader: user, content, message: { release } });
}
