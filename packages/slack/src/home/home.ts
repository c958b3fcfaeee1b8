// Publishes a person's home tab, and previews of links to content.
import { type Client, type ContentItem, isCallFailure } from '@pressroom/api/client';
import type { KnownBlock } from '@slack/types';
import type { AnyBlock } from '../blocks/blocks.ts';
import { fullName } from '../blocks/names.ts';
import { guidIn } from '../commands/line/content-reference.ts';
import { contentNamed, listContent, nameOf } from '../commands/shared/find-content.ts';
import { retryShortly, type Invoker, type Wait } from '../deliver/transport/reply.ts';
import type { Services } from '../services.ts';
import { explain } from '../texts/explain.ts';
import { homeView, unfurlBlocks } from './blocks.ts';

/** Milliseconds. */
const TIMEOUT = 9000;

export async function publishHome(services: Services, invoker: Invoker, wait?: Wait): Promise<void> {
  const { clients, store, slack } = services;
  const linked = await clients.ofLink(invoker.team, invoker.user);
  const signal = AbortSignal.timeout(TIMEOUT);
  const texts = await services.languages.ofPerson(invoker.team, invoker.user);
  let problem: string | null = null;
  const content = linked
    ? await listContent({ client: linked.client, signal }, linked.link.server_user).catch(
        (error: unknown) => {
          if (!isCallFailure(error)) throw error;
          const { reason, hint } = explain(error, texts.code);
          problem = `${reason} ${hint}`.trim();
          return [];
        },
      )
    : [];
  const me = linked ? await linked.client.getCurrentUser({}, { signal }).catch(() => null) : null;
  const running = await store.notices.runningOf(invoker.team, invoker.user);
  const subscriptions = await store.subscriptions({ team: invoker.team, slack_user: invoker.user });
  const view = homeView(
    {
      server: clients.server,
      who: linked ? (me ? fullName(me) : linked.link.username) : null,
      content,
      running: running.map(({ title, url, started_time }) => ({
        title,
        url,
        elapsed: (services.now() - started_time) / 1000,
      })),
      subscriptions: subscriptions.map(({ title, channel, filters }) => ({
        title,
        channel,
        filters: filters.split(','),
      })),
      problem,
    },
    texts,
  );
  const web = await slack.client(invoker.team);
  await retryShortly(async () => void (await web.views.publish({ user_id: invoker.user, view })), wait);
}

/**
 * Previews of links to content. Everybody in the channel sees them: so only for content that the poster may see, and
 * that is open to everybody with an account; to everybody where people of other organizations are in the channel.
 */
async function unfurls(services: Services, invoker: Invoker, { links, hasOutsiders }: SharedLinks) {
  const linked = await services.clients.ofLink(invoker.team, invoker.user);
  const guest = services.unlinked.includes('status') ? services.clients.guest : null;
  const client = linked?.client ?? guest;
  const found: Record<string, { blocks: AnyBlock[] }> = {};
  if (client === null) return found;
  const signal = AbortSignal.timeout(TIMEOUT);
  const texts = await services.languages.ofChannel(invoker.team, invoker.channel, invoker.user);
  for (const link of links.slice(0, 10)) {
    const content = await contentAt(link, { client, signal }).catch(() => null);
    if (!content || content.access_type === 'acl') continue;
    if (hasOutsiders && content.access_type !== 'all') continue;
    const owner = await nameOf({ client, signal }, content.owner_guid);
    found[link] = { blocks: [...unfurlBlocks(content, owner, texts)] };
  }
  return found;
}

/** The content that a link leads to: on the server, or where content has an address of its own. */
async function contentAt(
  link: string,
  { client, signal }: { readonly client: Client; readonly signal: AbortSignal },
): Promise<ContentItem | null> {
  const guid = guidIn(link);
  if (guid === null) {
    const match = await contentNamed(link, { client, signal });
    return match.kind === 'one' ? match.item : null;
  }
  const content = await client.getContent({ guid }, { signal });
  const origin = URL.parse(link)?.origin;
  const isThere = origin !== undefined && origin === URL.parse(content.url)?.origin;
  return isThere || link.startsWith(`${client.url}/`) ? content : null;
}

export interface SharedLinks {
  readonly channel: string;
  /** The message with the links. */
  readonly ts: string;
  readonly links: readonly string[];
  /** Whether another organization shares the channel. */
  readonly hasOutsiders: boolean;
}

/** A preview that Slack refuses is omitted: the link remains. */
export async function showPreviews(
  services: Services,
  invoker: Invoker,
  shared: SharedLinks,
  wait?: Wait,
): Promise<void> {
  const { channel, ts } = shared;
  const found = await unfurls(services, invoker, shared);
  if (Object.keys(found).length === 0) return;
  const web = await services.slack.client(invoker.team);
  const blocks = found as Record<string, { blocks: KnownBlock[] }>;
  try {
    await retryShortly(async () => void (await web.chat.unfurl({ channel, ts, unfurls: blocks })), wait);
  } catch (error) {
    services.log.warn({ err: error }, 'a preview could not be shown');
  }
}
