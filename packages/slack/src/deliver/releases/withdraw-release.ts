// A release was withdrawn, or a draft ended: updates its messages in all channels, also where the content can no longer
// be seen.
import type { Services } from '../../services.ts';
import { isEnded, type ReleaseStep } from './releases.ts';

export async function withdrawRelease(
  { store, alerts }: { readonly store: Services['store']; readonly alerts: Pick<Services['alerts'], 'send'> },
  {
    id: event,
    what,
    who,
    time,
    reason = null,
    reason_code = null,
    reason_detail = null,
    content: { guid: content },
    bundle,
  }: ReleaseStep,
): Promise<void> {
  for (const release of await store.releases.ofBundle(content, bundle)) {
    const { team, channel } = release;
    const key = { team, channel, content, bundle };
    const known = await store.releases.find(key);
    // The same event may come again: its message may not have been sent.
    const others = known?.steps.filter(({ id }) => id !== event);
    if (others === undefined || isEnded(others)) continue;
    await store.releases.add(release, {
      id: event,
      what,
      who,
      time,
      reason,
      reason_code,
      reason_detail,
      draft_task: null,
    });
    const id = `event:${event}:${team}:${channel}`;
    await alerts.send({ id, team, channel, reader: null, content: null, message: { release: key } });
  }
}
