// What the buttons of notices and answers do: once, whoever presses first, with the presser's rights checked again.
import { diagnose, type Client, type ContentItem } from '@pressroom/api';
import type { ModalView } from '@slack/types';
import type { Notice } from '../../store/notices.ts';
import { titleOf } from '../status/blocks.ts';
import { logsMessage, rollbackModal } from '../../deliver/blocks.ts';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { fullName, linkNeeded } from '../user/blocks.ts';
import { inline } from '../../blocks/text.ts';
import type { Asker } from '../../link/content-clients.ts';
import { bundleBefore, startDeploy } from '../../deliver/channels.ts';
import { mayChange, type Services } from './find-content.ts';
import { bundlesOf } from '../status/status.ts';

const PATIENCE = 9000;
/** Milliseconds after which a click that started nothing never will. */
const HALF_DONE = 60_000;

/** Somebody who is not linked; the message asks for it. */
export class NotLinked extends Error {
  override readonly name = 'NotLinked';
}

async function clientOf({ clients }: Services, asker: Asker): Promise<Client> {
  const linked = await clients.ofLink(asker.team, asker.user);
  if (!linked) throw new NotLinked('not linked');
  return linked.client;
}

/** The offer to link, for whoever pressed without being linked. */
export async function offerLink({ store }: Services, asker: Asker): Promise<Message> {
  const { team, user, channel } = asker;
  return linkNeeded(await store.addPending({ team, slack_user: user, channel, line: '', response_url: '' }));
}

/** Deploys once for a key: the first gets a task, everybody else is told who was first. */
async function deployOnce(
  services: Services,
  asker: Asker,
  key: string,
  what: string,
  plan: (client: Client, signal: AbortSignal) => Promise<{ content: ContentItem; bundle: string | null }>,
): Promise<Message> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(PATIENCE);
  const winner = await claim(services, asker, key);
  if (winner) {
    const who = winner.slack_user === asker.user ? 'You were' : `${inline(winner.slack_name)} was`;
    return note(
      `${who} first: ${what}${winner.task === null ? ' is being started' : `, task ${inline(winner.task)}`}.`,
    );
  }
  try {
    const { content, bundle } = await plan(client, signal);
    const { task } = await startDeploy(services, { client, asker, content, bundle, signal });
    await services.store.finishClick(key, task);
    return note(`Started: ${what} of *${inline(titleOf(content))}*, task ${inline(task)}.`);
  } catch (error) {
    await services.store.releaseClick(key);
    throw error;
  }
}

/** The winner of a click, null for this one. A click that a dead bot left half done can be won again. */
async function claim({ store, now }: Services, asker: Asker, key: string) {
  const winner = await store.claimClick(key, asker.user, asker.name);
  if (winner === null || winner.task !== null || now() - winner.time < HALF_DONE) return winner;
  await store.releaseClick(key);
  return store.claimClick(key, asker.user, asker.name);
}

async function noticeOf({ store }: Services, id: string): Promise<Notice> {
  const notice = await store.notices.find(id);
  if (!notice) throw new Error(`there is no notice ${id}`);
  return notice;
}

export async function redeploy(services: Services, asker: Asker, noticeId: string): Promise<Message> {
  const notice = await noticeOf(services, noticeId);
  return deployOnce(services, asker, `redeploy:${noticeId}`, 'the redeploy', async (client, signal) => ({
    content: await client.getContent({ guid: notice.content }, { signal }),
    bundle: notice.bundle,
  }));
}

/** The question before a rollback; null with a message when there is nothing to go back to. */
export async function rollbackQuestion(
  services: Services,
  asker: Asker,
  noticeId: string,
  responseUrl: string | null,
): Promise<{ modal: ModalView } | { message: Message }> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(2500);
  const notice = await noticeOf(services, noticeId);
  const content = await client.getContent({ guid: notice.content }, { signal });
  const me = await client.getCurrentUser({}, { signal });
  if (!mayChange(content, me)) return { message: note(`You may not deploy *${inline(titleOf(content))}*.`) };
  const to = bundleBefore(await bundlesOf({ client, signal }, content.guid), content.bundle_id);
  if (to === null)
    return { message: note(`*${inline(titleOf(content))}* has no bundle before the active one.`) };
  const key = ['rollback', noticeId, content.guid, to.id].join(':');
  const metadata = JSON.stringify({ key, channel: asker.channel, response_url: responseUrl });
  return { modal: rollbackModal({ key, title: titleOf(content), from: content.bundle_id, to }, metadata) };
}

/** @param key of the question: what it was about, and which one it was. */
export async function rollback(services: Services, asker: Asker, key: string): Promise<Message> {
  const [, question, guid, bundle] = key.split(':');
  if (question === undefined || guid === undefined || bundle === undefined)
    throw new Error('no such question');
  return deployOnce(
    services,
    asker,
    `rollback:${question}`,
    `the rollback to bundle ${bundle}`,
    async (client, signal) => ({
      content: await client.getContent({ guid }, { signal }),
      bundle,
    }),
  );
}

export async function noticeLogs(services: Services, asker: Asker, noticeId: string): Promise<Message> {
  const client = await clientOf(services, asker);
  const { task, title } = await noticeOf(services, noticeId);
  if (task === null) return note('The task of this deploy is not known: it was started elsewhere.');
  const signal = AbortSignal.timeout(PATIENCE);
  const { finished, code, output } = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  const diagnosis = finished && code !== 0 ? diagnose(output) : null;
  return logsMessage({ title, task, finished, code, lines: output, diagnosis }, `logs ${task}`);
}

/** Sends the whole log to the presser alone, as a file. */
export async function logFile(services: Services, asker: Asker, task: string): Promise<Message> {
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(PATIENCE);
  const { output } = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  const web = await services.slack.client(asker.team);
  const { channel } = await web.conversations.open({ users: asker.user });
  const name = `deploy-${task}.log`;
  const bytes = Buffer.from(`${output.join('\n')}\n`);
  const place = channel?.id;
  await services.slack.upload({
    team: asker.team,
    name,
    title: name,
    bytes,
    ...(place !== undefined && { channel: place }),
  });
  return note(`The log of task ${inline(task)} is in your direct messages.`);
}

/** @param value as in `lock GUID`. */
export async function lock(services: Services, asker: Asker, value: string): Promise<Message> {
  const [verb, guid] = value.split(' ');
  if (guid === undefined || (verb !== 'lock' && verb !== 'unlock')) throw new Error('no such account');
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(PATIENCE);
  await client.lockUser({ guid, locked: verb === 'lock' }, { signal });
  const user = await client.getUser({ guid }, { signal });
  return note(`*${inline(fullName(user))}* is ${user.locked ? 'locked' : 'open'} now.`);
}
