// The message that asks somebody to decide a request: posted once, and brought up to date wherever it is decided.
import { type Client, RefusedError } from '@pressroom/api/client';
import { note } from '../blocks/notes.ts';
import type { ContentClients } from '../link/content-clients.ts';
import type { RequestKey, RequestRow } from '../store/requests.ts';
import type { Store } from '../store/store.ts';
import type { Languages } from '../texts/languages.ts';
import { findEarlier } from './find-earlier.ts';
import { maySee } from './notice-readers.ts';
import { plainly } from './plainly.ts';
import { requestMessage } from './request-message.ts';
import type { Mark, SlackPort } from './slack-port.ts';

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
  const there = await findEarlier(slack, { team, channel, mark, oldest: row.created_time });
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
