// Unused content: its owner is asked in direct messages whether to keep it.
import type { Client } from '@pressroom/api/client';
import { actions, button, context, section, type Message } from '../../blocks/blocks.ts';
import { fit } from '../../blocks/fit.ts';
import { inline, line, link, moment } from '../../blocks/text.ts';
import type { ContentClients } from '../../link/content-clients.ts';
import type { Texts } from '../../texts/en.ts';
import type { Subject } from '../subject.ts';
import { nullIfDenied } from '../subscriptions/content-seen.ts';

export interface UnusedEvent extends Subject {
  readonly what: 'unused';
  /** GUID of the account to ask. */
  readonly owner: string;
}

export interface UnusedView {
  readonly content: Subject['content'];
  /** The last visit or session; null without a record. */
  readonly used: string | null;
  /** The person; null for an anonymous or unknown one. */
  readonly user: string | null;
  readonly deployed: string | null;
  /** Address of the page with unused content. */
  readonly page: string;
}

const NIL = '00000000-0000-0000-0000-000000000000';

export function unusedMessage({ content, used, user, deployed, page }: UnusedView, texts: Texts): Message {
  const { unused, buttons } = texts;
  const last =
    used === null
      ? unused.never
      : user === null
        ? unused.used(moment(used))
        : unused.usedBy(inline(user, 100), moment(used));
  return fit({
    text: unused.text(inline(content.title)),
    blocks: [
      section(unused.headline(link(content.url, content.title))),
      context(deployed === null ? last : `${last} · ${unused.deployed(moment(deployed))}`),
      actions(
        button('unused:keep', buttons.keep, line(content.guid, 64), { style: 'primary' }),
        button('open', buttons.unusedContent, '', { url: page }),
      ),
    ],
  });
}

/**
 * The current question; null if it is obsolete: used, kept, deleted or transferred meanwhile.
 * @throws if the content server does not say
 */
export async function readUnused(
  clients: ContentClients,
  { team, reader, texts }: { readonly team: string; readonly reader: string; readonly texts: Texts },
  content: Subject['content'],
): Promise<Message | null> {
  const linked = await clients.ofLink(team, reader);
  if (linked === null) return null;
  const { client } = linked;
  const found = await client.getUnusedContent().catch(nullIfDenied);
  const item = found?.find(({ content_guid }) => content_guid === content.guid);
  if (item === undefined) return null;
  const { last_used_time: used, last_deployed_time: deployed } = item;
  const user = used === null ? null : await lastUser(client, content.guid).catch(nullIfDenied);
  return unusedMessage(
    { content, used, user, deployed, page: `${clients.server}/__dashboard__/unused` },
    texts,
  );
}

async function lastUser(client: Client, guid: string): Promise<string | null> {
  const query = { content_guid: guid, shared: true, asc_order: false, limit: 1 } as const;
  const [visits, sessions] = await Promise.all([
    client.getContentVisits(query),
    client.getShinyAppUsage(query),
  ]);
  const all = [
    ...visits.results.map(({ user_guid, time }) => ({ user_guid, time })),
    ...sessions.results.map(({ user_guid, started: time }) => ({ user_guid, time })),
  ].toSorted((a, b) => Date.parse(b.time) - Date.parse(a.time));
  const [newest] = all;
  if (newest === undefined || newest.user_guid === NIL) return null;
  return (await client.getUser({ guid: newest.user_guid })).username;
}
