// `logs`: output of the last deploy of content, of the last rendering of a document, or of a task.
import { type ContentItem, nullIfHidden, RefusedError } from '@pressroom/api/client';
import { engineOf, type Task } from '@pressroom/api/contract';
import { deploysOf } from '@pressroom/api/publish';
import { titleOf } from '../../blocks/names.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { announceInChannels } from '../../deliver/deploys/announce-in-channels.ts';
import type { Command, Run } from '../command.ts';
import { mayBeTask } from '../line/content-reference.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { resolveContent } from '../shared/find-content.ts';
import { placeOf } from '../shared/start-deploy.ts';
import { logOf, logsMessage } from './blocks.ts';
import { logsTexts } from './texts.ts';

const WEEK = 7 * 86_400_000;

export const logs: Command = {
  texts: logsTexts,
  syntax: {
    usage: 'logs <content|task> [--follow]',
    examples: ['logs sales-report', 'logs Ab3dEf6hIj9lMn2p --follow'],
    subject: 'required',
    options: { follow: { type: 'flag' } },
  },
  account: 'any',
  async run(run) {
    const { client, command, signal, share, texts } = run;
    let task = mayBeTask(command.subject) ? await findTask(run, command.subject) : null;
    let title = command.subject;
    let content: ContentItem | null = null;
    if (task === null) {
      const found = await resolveContent(
        run,
        mayBeTask(command.subject) ? logsTexts(texts).noTask : undefined,
      );
      if ('message' in found) return found.message;
      ({ content } = found);
      title = titleOf(content);
      task = await lastRendering(run, content);
      const id = task === null ? await lastTask(run, content.guid) : task.id;
      if (id === null) return note(logsTexts(texts).noDeploy(inline(title)));
      task ??= await client.getTask({ id, first: 0, wait: 0 }, { signal });
    }
    if (command.options['follow'] === true && !task.finished) return follow(run, task, content);
    return logsMessage(logOf(title, task), share, texts);
  },
};

/** Null if the server has no such task: a content name may look the same. */
async function findTask({ client, signal }: Run, id: string): Promise<Task | null> {
  try {
    return await client.getTask({ id, first: 0, wait: 0 }, { signal });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

/** Posts a live message of the task in the channel. */
async function follow(
  { services, invoker, client, signal, texts }: Run,
  task: Task,
  content: ContentItem | null,
) {
  const known = content ?? (await contentOfTask(services.store, client, task.id));
  if (known === null) return note(logsTexts(texts).unknownContent(inline(task.id)));
  const me = await client.getCurrentUser({}, { signal });
  const deploys = await deploysOf(client, known.guid, { signal });
  const deploy = deploys?.find(({ task_id }) => task_id === task.id);
  const place = await placeOf(services, invoker, texts);
  const channel = await services.languages.ofChannel(invoker.team, place.channel, invoker.user);
  await announceInChannels(services, {
    content: known,
    task: task.id,
    bundle: null,
    who: logsTexts(channel).followedBy(me.username),
    via: 'on the server',
    // Who follows it did not start it.
    slackUser: null,
    actor: deploy?.user_guid ?? null,
    otherwise: task.id,
    time: deploy === undefined ? services.now() : Date.parse(deploy.started_time),
    channel: { team: invoker.team, id: place.channel, reader: invoker.user },
  });
  return note(place.where);
}

async function contentOfTask(store: Run['services']['store'], client: Run['client'], task: string) {
  const [notice] = await store.notices.ofTask(task);
  return notice ? client.getContent({ guid: notice.content }) : null;
}

/**
 * By a deploy, by hand or on schedule. Null if the content is not rendered, if the invoker may not see its renderings, or
 * if the server has no tasks of them.
 */
async function lastRendering(run: Run, { guid, app_mode }: ContentItem): Promise<Task | null> {
  if (engineOf(app_mode) !== 'document') return null;
  const jobs = await nullIfHidden(run.client.getContentJobs({ guid }, { signal: run.signal }));
  const newest = jobs?.find(({ tag }) => tag.startsWith('build_'));
  return newest === undefined ? null : nullIfHidden(findTask(run, newest.key));
}

/**
 * From the server's list of deploys; if the invoker may not see that, from the audit log, read with the bot's own key, or
 * from the bot's announcements. The task is read with the invoker's key.
 */
async function lastTask({ services, client, signal }: Run, guid: string): Promise<string | null> {
  const deploys = await deploysOf(client, guid, { signal });
  const listed = deploys?.find(({ task_id }) => task_id !== null);
  if (listed) return listed.task_id;
  const announced = (await services.store.notices.ofContent(guid, 20)).find(({ task }) => task !== null);
  const { service } = services.clients;
  if (service === null) return announced?.task ?? null;
  for await (const { task } of deploysIn(service, services.now() - 4 * WEEK, signal, guid)) {
    if (task !== null) return task;
  }
  return announced?.task ?? null;
}
