// Scheduled renderings in subscribed channels: with a screenshot, and the link.
import { RefusedError } from '@pressroom/api/client';
import type { ContentVariant } from '@pressroom/api/contract';
import { actions, button, context, section, type AnyBlock, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { Texts } from '../../texts/en.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import type { Subject } from '../subject.ts';
import { nullIfDenied } from '../subscriptions/content-seen.ts';

/** A scheduled rendering that its report does not suppress. */
export interface RenderedEvent extends Subject {
  readonly what: 'rendered';
  /** Its key; `default` for the document with the values of its source. */
  readonly variant: string;
}

export type Rendered = Pick<RenderedEvent, 'content' | 'variant' | 'time'>;

const FILTER = 'renderings';

/** The filter of a subscription to one variant. @param name for display */
export function variantFilter(key: string, name: string): string {
  return `${FILTER}/${key}/${encodeURIComponent(name)}`;
}

/** The variant name in a subscription's filter; null for other filters. */
export function variantOfFilter(word: string): string | null {
  const [filter, , name] = word.split('/');
  if (filter !== FILTER || name === undefined) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Whether a filter matches a variant: one filter matches all. */
export function wantsRendering(word: string, variant: string): boolean {
  return word === FILTER || word.startsWith(`${FILTER}/${variant}/`);
}

type Parts = Pick<DeliveryParts, 'clients' | 'slack' | 'log'>;

/**
 * The message, read with the subscriber's rights: null if that person may not see the variant, or not everybody who
 * views the content may. Without a screenshot if the server takes none for this person.
 */
export async function readRendering(
  { clients, slack, log }: Parts,
  { team, reader, texts }: { readonly team: string; readonly reader: string; readonly texts: Texts },
  rendered: Rendered,
  signal: AbortSignal,
): Promise<Message | null> {
  const linked = await clients.ofLink(team, reader);
  if (linked === null) return null;
  const at = { guid: rendered.content.guid, key: rendered.variant };
  const variant = await linked.client.getContentVariant(at, { signal }).catch(nullIfDenied);
  if (variant === null || variant.rendered_time === null) return null;
  if (!variant.is_default && variant.visibility !== 'public') return null;
  const picture = await pictureOf({ clients, slack, log }, linked.link.key, { team, at, texts }, signal);
  return renderingMessage(rendered, variant, picture, texts);
}

/** Slack's file id; null for none. */
async function pictureOf(
  { clients, slack, log }: Parts,
  apiKey: string,
  about: { readonly team: string; readonly at: { guid: string; key: string }; readonly texts: Texts },
  signal: AbortSignal,
): Promise<string | null> {
  await using client = clients.patient(apiKey);
  try {
    const { image } = await client.getContentVariantPicture(about.at, { signal });
    const bytes = Buffer.from(image, 'base64');
    const title = about.texts.renderings.picture;
    return await slack.upload({ team: about.team, name: 'rendering.png', title, bytes });
  } catch (error) {
    if (!(error instanceof RefusedError)) log.warn({ err: error }, 'a picture of a rendering');
    return null;
  }
}

export function renderingMessage(
  { content, time }: Pick<Rendered, 'content' | 'time'>,
  { name, values, url }: Pick<ContentVariant, 'name' | 'values' | 'url'>,
  picture: string | null,
  { renderings: words, buttons }: Texts,
): Message {
  const title = name === '' ? content.title : `${content.title}: ${name}`;
  const shown = Object.entries(values).map(([key, value]) => `${key} = ${[value].flat().join(', ')}`);
  const image: AnyBlock[] =
    picture === null
      ? []
      : [{ type: 'image', slack_file: { id: picture }, alt_text: line(words.alternative(title), 200) }];
  return fit({
    text: words.text(inline(title, 150)),
    blocks: [
      section(words.headline(link(url, title))),
      ...image,
      context([moment(time), ...(shown.length > 0 ? [inline(shown.join(' · '), 300)] : [])].join(' · ')),
      actions(button('open', buttons.open, '', { url })),
    ],
  });
}
