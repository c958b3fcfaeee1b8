// After a deploy went live: completes the release of its bundle, if any.
import type { Services } from '../../services.ts';
import type { Notice } from '../../store/notices.ts';
import { addReleaseStep } from './releases.ts';

export async function addLiveStep(
  { store, alerts }: Pick<Services, 'store' | 'alerts'>,
  { id, team, channel, content, bundle, who, reader, finished_time, started_time }: Notice,
): Promise<void> {
  if (bundle === null) return;
  const key = { team, channel, content, bundle };
  const known = await store.releases.find(key);
  if (known === null || known.steps.at(-1)?.what === 'live') return;
  const { title, url } = known.release;
  const time = finished_time ?? started_time;
  const step = { id: `live:${id}`, what: 'live', bundle, who, time } as const;
  await addReleaseStep({ store }, key, { ...step, content: { guid: content, title, url } });
  await alerts.send({ id: `live:${id}`, team, channel, reader, content, message: { release: key } });
}
