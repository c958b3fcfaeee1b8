// The buttons that show the log of a notice, and send a whole log as a file.
import { diagnose } from '@pressroom/api/publish';
import type { Message } from '../../blocks/blocks.ts';
import { note } from '../../blocks/notes.ts';
import { inline } from '../../blocks/text.ts';
import { logFile } from '../../deliver/announce-deploy.ts';
import type { Asker } from '../../deliver/reply.ts';
import { clientOf } from '../../link/offer.ts';
import type { Services } from '../../services.ts';
import { CLICK_TIMEOUT, noticeOf } from '../shared/deploy-once.ts';
import { logsMessage } from './blocks.ts';

export async function noticeLogs(services: Services, asker: Asker, noticeId: string): Promise<Message> {
  const client = await clientOf(services, asker);
  const { task, title } = await noticeOf(services, noticeId);
  if (task === null) return note('The log of this deploy is not available, because its task is not known.');
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const { finished, code, output } = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  const diagnosis = finished && code !== 0 ? diagnose(output) : null;
  return logsMessage({ title, task, finished, code, lines: output, diagnosis }, `logs ${task}`);
}

/** Sends it to the asker alone, in direct messages. */
export async function sendLogFile(services: Services, asker: Asker, task: string): Promise<Message> {
  const { team, user } = asker;
  const client = await clientOf(services, asker);
  const signal = AbortSignal.timeout(CLICK_TIMEOUT);
  const { output } = await client.getTask({ id: task, first: 0, wait: 0 }, { signal });
  const channel = await services.slack.directMessages(team, user);
  const name = `deploy-${task}.log`;
  const bytes = logFile(output);
  await services.slack.upload({ team, name, title: name, bytes, channel });
  return note(`The full log of task ${inline(task)} is in your direct messages.`);
}
