// Buttons that show the log of a notice, and send a complete log as a file.
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { logFile } from '../../deliver/deploys/post-deploy.ts';
import type { Invoker } from '../../deliver/transport/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import type { Texts } from '../../texts/en.ts';
import { CLICK_TIMEOUT, noticeOf } from '../shared/deploy-once.ts';
import { logOf, logsMessage } from './blocks.ts';
import { logsTexts } from './texts.ts';

export async function noticeLogs(
  services: Services,
  invoker: Invoker,
  noticeId: string,
  texts: Texts,
): Promise<Message> {
  const client = await clientOf(services, invoker);
  const { task, title } = await noticeOf(services, noticeId);
  if (task === null) return note(logsTexts(texts).unknownTask);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const found = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  return logsMessage(logOf(title, found), `logs ${task}`, texts);
}

/** Sent to the invoker only, in direct messages. */
export async function sendLogFile(
  services: Services,
  invoker: Invoker,
  task: string,
  texts: Texts,
): Promise<Message> {
  const { team, user } = invoker;
  const client = await clientOf(services, invoker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const { output } = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  const channel = await services.slack.directMessages(team, user);
  const name = `deploy-${task}.log`;
  const bytes = logFile(output, texts);
  await services.slack.upload({ team, name, title: name, bytes, channel });
  return note(logsTexts(texts).sent(inline(task)));
}
