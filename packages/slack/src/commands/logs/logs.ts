// `deploy`, `rollback`, `logs`: deploys started and read with the asker's rights.
import { randomUUID } from 'node:crypto';
import { diagnose, RefusedError, type ContentItem, type Task } from '@pressroom/api';
import { mayBeTask } from '../line/content-reference.ts';
import { titleOf } from '../status/blocks.ts';
import { logsMessage, rollbackMessage } from '../../deliver/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { deploysIn } from '../shared/audit-log.ts';
import { bundleBefore, startDeploy, tellChannels } from '../../deliver/channels.ts';
import { resolveContent, type Run, type Runner } from '../shared/find-content.ts';
import { bundlesOf } from '../status/status.ts';

const WEEK = 7 * 86_400_000;
const NO_TASK = 'Nor is a task of that id known any more: the server keeps tasks for a while only.';

export const deploy: Runner = async (run) => {
  const found = await resolveContent(run);
  if ('message' in found) return found.message;
  const { services, client, asker, command, signal } = run;
  const wanted = command.options['bundle'];
  const bundle = typeof wanted === 'string' ? wanted : null;
  const { content } = found;
  const { task } = await startDeploy(services, { client, asker, content, bundle, signal });
  return note(
    `*${inline(titleOf(content))}* is being deployed, task ${inline(task)}. The channel can watch it.`,
  );
};

export const rollback: Runner = async (run) => {
  const found = await resolveContent(run);
  if ('message' in found) return found.message;
  const { content } = found;
  const to = bundleBefore(await bundlesOf(run, content.guid), content.bundle_id);
  if (to === null) return note(`*${inline(titleOf(content))}* has no bundle before the active one.`);
  const key = ['rollback', randomUUID(), content.guid, to.id].join(':');
  return rollbackMessage({ key, title: titleOf(content), from: content.bundle_id, to });
};

export const logs: Runner = async (run) => {
  const { client, command, signal, share } = run;
  let task = await taskNamed(run);
  let title = command.subject;
  let content: ContentItem | null = null;
  if (task === null) {
    const found = await resolveContent(run, mayBeTask(command.subject) ? NO_TASK : undefined);
    if ('message' in found) return found.message;
    ({ content } = found);
    title = titleOf(content);
    const id = await lastTask(run, content.guid);
    if (id === null) return note(`No deploy of *${inline(title)}* is known here.`);
    task = await client.getTask({ id, first: 0, wait: 0 }, { signal });
  }
  const { id, finished, code, output } = task;
  if (command.options['follow'] === true && !finished) return follow(run, task, content);
  const diagnosis = finished && code !== 0 ? diagnose(output) : null;
  return logsMessage({ title, task: id, finished, code, lines: output, diagnosis }, share);
};

/** The task whose id the asker wrote; null where the server has none, as for a content's name of that shape. */
async function taskNamed({ client, command, signal }: Run): Promise<Task | null> {
  if (!mayBeTask(command.subject)) return null;
  try {
    return await client.getTask({ id: command.subject, first: 0, wait: 0 }, { signal });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null;
    throw error;
  }
}

/** Puts the task in front of the channel. */
async function follow({ services, asker, client, signal }: Run, task: Task, content: ContentItem | null) {
  const known = content ?? (await contentOfTask(services.store, client, task.id));
  if (known === null)
    return note(`Which content task ${inline(task.id)} belongs to is not known here: name the content.`);
  const me = await client.getCurrentUser({}, { signal });
  await tellChannels(services, {
    content: known,
    task: task.id,
    bundle: null,
    who: `somebody; ${me.username} asked to watch`,
    via: 'on the server',
    slackUser: asker.user,
    otherwise: task.id,
    time: services.now(),
    channel: { team: asker.team, id: asker.channel },
  });
  return note('The channel can watch it now.');
}

async function contentOfTask(store: Run['services']['store'], client: Run['client'], task: string) {
  const [notice] = await store.notices.ofTask(task);
  return notice ? client.getContent({ guid: notice.content }) : null;
}

/** From what the bot has told, else from the audit log, which the bot's own key reads; the asker's key reads the task. */
async function lastTask({ services, signal }: Run, guid: string): Promise<string | null> {
  const told = (await services.store.notices.ofContent(guid, 20)).find(({ task }) => task !== null);
  const { service } = services.clients;
  if (service === null) return told?.task ?? null;
  for await (const entry of deploysIn(service, services.now() - 4 * WEEK, signal)) {
    if (entry.content === guid && entry.task !== null) return entry.task;
  }
  return told?.task ?? null;
}
