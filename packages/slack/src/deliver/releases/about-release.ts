// Context for approvers in the thread of a release: the commit, recent usage, links, and changes, with screenshots if
// the server takes them.
import { RefusedError } from '@pressroom/api/client';
import type { BundleRelease, MovedNumbers, PageComparison } from '@pressroom/api/contract';
import type { ArchiveChanges } from '@pressroom/api/publish';
import { context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { changesBlocks } from '../../blocks/changes.ts';
import { commitText } from '../../blocks/commit.ts';
import { fit } from '../../blocks/fit.ts';
import { inline } from '../../blocks/text.ts';
import type { ReleaseKey } from '../../store/releases.ts';
import type { Texts } from '../../texts/en.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import type { Mark } from '../transport/slack-port.ts';
import { readChanges } from './read-changes.ts';

export interface AboutView {
  /** Title of the content. */
  readonly title: string;
  readonly release: Pick<BundleRelease, 'bundle_id' | 'live_bundle_id' | 'commit' | 'use' | 'links'>;
  /** Relative to the live bundle; null if unknown. */
  readonly changes: ArchiveChanges | null;
  /** Numbers in tables; null if the server does not compare them. */
  readonly numbers?: MovedNumbers | null;
}

/** Maximum linking items and moved numbers that are listed. */
const NAMED = 5;

export function aboutMessage({ title, release, changes, numbers }: AboutView, texts: Texts): Message {
  const { releases: words, changes: ofChanges } = texts;
  const { bundle_id, live_bundle_id: live, commit, use, links } = release;
  const names = links.results
    .slice(0, NAMED)
    .map((item) => inline(item.content_title || item.content_name, 80));
  const others = links.total - names.length;
  const shown = changes === null || live === null ? null : changesBlocks(changes, texts);
  const touched = [
    ...(use === null
      ? []
      : [use.total === 0 ? words.unused(use.days) : words.used(use.people, use.total, use.days)]),
    ...(links.total === 0
      ? []
      : [words.links([...names, ...(others > 0 ? [words.more(others)] : [])].join(', '))]),
  ];
  const blocks: AnyBlock[] = [
    ...(commit === null ? [] : [section(commitText(commit, texts))]),
    ...(touched.length === 0 ? [] : [section(`:busts_in_silhouette: ${touched.join('\n')}`)]),
    ...(shown === null
      ? []
      : [
          section(
            ofChanges.headline(inline(title), inline(live ?? '', 20), inline(bundle_id, 20), shown.sum),
          ),
          ...shown.blocks,
        ]),
    ...(numbers?.moved.length ? [section(`:1234: ${movedText(numbers, texts)}`)] : []),
  ];
  const text = words.about(inline(bundle_id, 20));
  return fit({ text, blocks: blocks.length === 0 ? [context(text)] : blocks });
}

/** Largest change first. */
function movedText({ moved, more }: MovedNumbers, { releases: words, percent: share }: Texts): string {
  const lines = moved.slice(0, NAMED).map(({ table, row, column, before, after, percent }) => {
    const names = [table, row, column].map((name) => inline(name, 80)).join(', ');
    const change = percent === null ? '' : ` (${percent > 0 ? '+' : '−'}${share(Math.abs(percent) / 100)})`;
    return `• ${names}: ${inline(before, 40)} → ${inline(after, 40)}${change}`;
  });
  const others = moved.length - lines.length + more;
  return [words.moved, ...lines, ...(others > 0 ? [words.more(others)] : [])].join('\n');
}

/** Posted once, as far as the reader may see it. @throws SlackFailure, and failures of the content server */
export async function announceRelease(
  parts: DeliveryParts,
  key: ReleaseKey,
  reader: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, slack, clients, languages } = parts;
  const { team, channel, content: guid, bundle: id } = key;
  const row = (await store.releases.find(key))?.release;
  const thread = row?.thread ?? row?.ts;
  const linked = await clients.ofLink(team, reader);
  if (!row || !thread || linked === null) return;
  const { client, link } = linked;
  const release = await client.getBundleRelease({ guid, id }, { signal }).catch(refused);
  if (release === null) return;
  const { live_bundle_id: live } = release;
  // A bundle that was live meanwhile does not change what followed it.
  const isOther = live !== null && live !== id && release.state !== 'past';
  const texts = await languages.ofChannel(team, channel, reader);
  const mark: Mark = { notice: `${guid}:${id}`, part: 'about' };
  const place = { team, channel, thread, mark };
  if ((await slack.findPosted({ ...place, oldest: row.created_time })) === null) {
    const changes = isOther ? await readChanges({ client, signal }, guid, live, id).catch(refused) : null;
    const numbers = isOther
      ? await client.compareBundleNumbers({ guid, id, since: live }, { signal }).catch(refused)
      : null;
    const message = aboutMessage({ title: row.title, release, changes, numbers }, texts);
    await sendWithFallback(message, async (shown) => void (await slack.post({ ...place, message: shown })));
  }
  if (!isOther) return;
  const pages = await picturesOf(parts, link.key, { guid, id, since: live }, signal);
  if (pages !== null) await postPictures(parts, { team, channel, thread }, pages, texts);
}

/** Null if the server takes no screenshots of these bundles. */
async function picturesOf(
  { clients, log }: DeliveryParts,
  apiKey: string,
  bundles: { readonly guid: string; readonly id: string; readonly since: string },
  signal: AbortSignal,
): Promise<PageComparison | null> {
  await using client = clients.patient(apiKey);
  try {
    return await client.compareBundlePages(bundles, { signal });
  } catch (error) {
    if (!(error instanceof RefusedError)) log.warn({ err: error }, 'pictures of a release');
    return null;
  }
}

async function postPictures(
  { slack }: DeliveryParts,
  place: { readonly team: string; readonly channel: string; readonly thread: string },
  { before, after, difference, changed }: PageComparison,
  { releases: words, percent }: Texts,
): Promise<void> {
  const mark: Mark = { notice: `${before.bundle_id}:${after.bundle_id}`, part: 'about' };
  const text = changed === 0 ? words.sameScreen : words.screen(percent(Math.max(changed, 0.01)));
  if ((await slack.findPosted({ ...place, mark, oldest: 0 })) === null)
    await slack.post({
      ...place,
      mark,
      message: { text, blocks: [context(`:frame_with_picture: ${text}`)] },
    });
  if (changed === 0) return;
  const files = [
    [`bundle-${before.bundle_id}.png`, words.pictures.before(before.bundle_id), before.image],
    [`bundle-${after.bundle_id}.png`, words.pictures.after(after.bundle_id), after.image],
    [`difference-${after.bundle_id}.png`, words.pictures.difference, difference],
  ] as const;
  for (const [name, title, image] of files)
    if (!(await slack.hasFile({ ...place, name })))
      await slack.upload({ ...place, name, title, bytes: Buffer.from(image, 'base64') });
}

/** Omits what the reader may not see, and what the server does not support. */
function refused(error: unknown): null {
  if (error instanceof RefusedError) return null;
  throw error;
}
