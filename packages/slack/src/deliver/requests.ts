// Requests for access and for a role: who may decide is asked in direct messages, and whoever asked is told the outcome there.
import { type Client, RefusedError } from '@pressroom/api/client';
import { note } from '../blocks/notes.ts';
import type { ContentClients } from '../link/content-clients.ts';
import type { Services } from '../services.ts';
import type { RequestKey, RequestRow } from '../store/requests.ts';
import type { Store } from '../store/store.ts';
import type { Languages } from '../texts/languages.ts';
import { DIRECT } from './direct.ts';
import { maySee } from './notice-readers.ts';
import { outcomeMessage, requestMessage } from './request-message.ts';
import { plainly } from './plainly.ts';
import { slackFailure } from './slack-failure.ts';
import type { Mark, SlackPort } from './slack-port.ts';

/** As the server tells of it. */
export interface RequestEvent {
  readonly id: string;
  /** Milliseconds. */
  readonly time: number;
  readonly kind: 'access' | 'role';
  readonly what: 'asked' | 'granted' | 'declined';
  readonly request: string;
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null } | null;
  /** Who asks. */
  readonly asker: { readonly guid: string; readonly name: string };
  readonly message: string | null;
  readonly role: string | null;
  /** Who decided. */
  readonly by: string;
  /** GUIDs of the accounts that may decide. */
  readonly deciders: readonly string[];
}

/** Once for each event, whoever takes it again. */
export async function tellRequest(
  services: Pick<Services, 'store' | 'alerts' | 'languages'>,
  event: RequestEvent,
): Promise<void> {
  const { store, alerts } = services;
  const { id, kind, what, request, content, asker, message, role, by, time } = event;
  const show = (key: RequestKey) =>
    alerts.send({
      id: `request:${id}:${key.team}:${key.slack_user}`,
      team: key.team,
      channel: `${DIRECT}${key.slack_user}`,
      reader: key.slack_user,
      content: content?.guid ?? null,
      message: { request: key },
    });
  if (what === 'asked') {
    for (const guid of event.deciders)
      for (const { team, slack_user } of await store.slackUsersOf(guid)) {
        const about = {
          content: content?.guid ?? null,
          title: content?.title ?? '',
          url: content?.url ?? null,
        };
        const key = { team, slack_user, event: id };
        await store.requests.add({ ...key, ...about, kind, request, who: asker.name, message });
        await show(key);
      }
    return;
  }
  const decision = { state: what, role, decided_by: by, decided_event: id, decided_time: time };
  for (const key of await store.requests.decide({ kind, request }, decision)) await show(key);
  await tellAsker(services, event);
}

async function tellAsker(
  { store, alerts, languages }: Pick<Services, 'store' | 'alerts' | 'languages'>,
  { id, kind, what, content, asker }: RequestEvent,
): Promise<void> {
  const isGranted = what === 'granted';
  for (const { team, slack_user } of await store.slackUsersOf(asker.guid)) {
    const texts = await languages.ofPerson(team, slack_user);
    const { title = '', url = null } = content ?? {};
    await alerts.send({
      id: `request:${id}:${team}:${slack_user}:asker`,
      team,
      channel: `${DIRECT}${slack_user}`,
      reader: isGranted ? slack_user : null,
      content: isGranted && content !== null ? content.guid : null,
      message: outcomeMessage({ kind, isGranted, title, url }, texts),
    });
  }
}

interface Parts {
  readonly store: Store;
  readonly slack: SlackPort;
  readonly clients: ContentClients;
  readonly languages: Languages;
}

/** Posts the message for one who may decide, or brings it up to date. @throws SlackFailure */
export async function showRequest(parts: Parts, key: RequestKey): Promise<void> {
  const { store, slack, clients, languages } = parts;
  const { team, slack_user: user } = key;
  const row = await store.requests.find(key);
  // Decided before it was posted: nobody needs to read of it.
  if (row === null || (row.ts === null && row.state !== 'asked')) return;
  const texts = await languages.ofPerson(team, user);
  if (row.ts !== null && row.channel !== null) {
    const { channel, ts } = row;
    const isSeen = row.content === null || (await maySee(clients, key, row.content));
    const message = isSeen ? requestMessage(row, texts) : note(texts.access.closed);
    return plainly(message, (shown) => slack.edit(team, channel, ts, shown));
  }
  const linked = await clients.ofLink(team, user);
  // It may have waited: only somebody who still may decide is asked.
  if (linked === null || !(await isOpenFor(linked.client, row))) return;
  const channel = await slack.directMessages(team, user);
  const mark: Mark = { notice: `${key.event}:${user}`, part: 'request' };
  const there = await findPosted(slack, { team, channel, mark, oldest: row.created_time });
  if (there === null)
    await plainly(requestMessage(row, texts), async (shown) =>
      store.requests.posted(key, channel, await slack.post({ team, channel, mark, message: shown })),
    );
  else await store.requests.posted(key, channel, there);
  // Another bot may have heard of the decision while this one posted.
  const after = await store.requests.find(key);
  if (after?.state !== 'asked') await showRequest(parts, key);
}

/** Whether somebody may see the request now, and it is open. @throws when the content server does not tell */
async function isOpenFor(client: Client, { kind, content, request }: RequestRow): Promise<boolean> {
  try {
    if (kind === 'role')
      return (await client.getRoleRequests()).some(({ user_guid }) => user_guid === request);
    const open = await client.getContentAccessRequests({ guid: content ?? '' });
    return open.some(({ id }) => id === request);
  } catch (error) {
    if (error instanceof RefusedError && [401, 403, 404].includes(error.status)) return false;
    throw error;
  }
}

/** An earlier try, or another bot, may have posted it. Where Slack does not let the bot look, it is posted all the same. */
async function findPosted(
  slack: SlackPort,
  where: Parameters<SlackPort['findPosted']>[0],
): Promise<string | null> {
  try {
    return await slack.findPosted(where);
  } catch (error) {
    if (slackFailure(error).kind !== 'refused') throw error;
    return null;
  }
}
