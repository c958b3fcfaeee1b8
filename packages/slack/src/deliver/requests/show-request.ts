// The message that asks a person to decide a request: posted once, and updated wherever it is decided.
import type { Client } from '@pressroom/api/client';
import { note } from '../../blocks/notes.ts';
import type { RequestKey, RequestRow } from '../../store/requests.ts';
import type { DeliveryParts } from '../delivery-parts.ts';
import { isDenied, maySee } from '../subscriptions/content-seen.ts';
import { findEarlier } from '../transport/find-earlier.ts';
import { sendWithFallback } from '../transport/send-with-fallback.ts';
import type { Mark } from '../transport/slack-port.ts';
import { requestMessage } from './request-message.ts';

/** Posts or updates the message for a person who may decide. @throws SlackFailure */
export async function showRequest(parts: Omit<DeliveryParts, 'log'>, key: RequestKey): Promise<void> {
  const { store, slack, clients, languages } = parts;
  const { team, slack_user: user } = key;
  const row = await store.requests.find(key);
  // Decided before it was posted: not needed.
  if (row === null || (row.ts === null && row.state !== 'asked')) return;
  const texts = await languages.ofPerson(team, user);
  if (row.ts !== null && row.channel !== null) {
    const { channel, ts } = row;
    const isSeen = row.content === null || (await maySee(clients, key, row.content));
    const message = isSeen ? requestMessage(row, texts) : note(texts.access.closed);
    return sendWithFallback(message, (shown) => slack.edit(team, channel, ts, shown));
  }
  const linked = await clients.ofLink(team, user);
  // After waiting: only people who may still decide are asked.
  if (linked === null || !(await isOpenFor(linked.client, row))) return;
  const channel = await slack.directMessages(team, user);
  const mark: Mark = { notice: `${key.event}:${user}`, part: 'request' };
  const there = await findEarlier(slack, { team, channel, mark, oldest: row.created_time });
  if (there === null)
    await sendWithFallback(requestMessage(row, texts), async (shown) =>
      store.requests.posted(key, channel, await slack.post({ team, channel, mark, message: shown })),
    );
  else await store.requests.posted(key, channel, there);
  // Another bot may have received the decision while this one posted.
  const after = await store.requests.find(key);
  if (after?.state !== 'asked') await showRequest(parts, key);
}

/** Whether the request is open and visible to a person. @throws if the content server does not say */
async function isOpenFor(client: Client, { kind, content, request }: RequestRow): Promise<boolean> {
  try {
    if (kind === 'role')
      return (await client.getRoleRequests()).some(({ user_guid }) => user_guid === request);
    const open = await client.getContentAccessRequests({ guid: content ?? '' });
    return open.some(({ id }) => id === request);
  } catch (error) {
    if (isDenied(error)) return false;
    throw error;
  }
}
