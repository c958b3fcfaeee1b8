// Composes mails in a worker thread: parsing a report's page may take seconds.
import type { MailAttachment } from '../platform/mailer.ts';
import { runInThread } from '../platform/run-in-thread.ts';
import type { ComposedMail, MailedPage } from './message.ts';

/** Next to this file, or next to the built one. */
const THREAD = new URL(
  import.meta.url.endsWith('.ts') ? 'compose-thread.ts' : 'compose-thread.mjs',
  import.meta.url,
);
const TIMEOUT_MS = 60_000;

/** The thread's response: a copy, in which buffers are plain bytes. */
type Composed = { readonly mail: ComposedMail } | { readonly failed: string };

/** A failure that stays until there is another rendering. */
export class Refused extends Error {}

/** @throws Refused with the error of composeMail; others after more than a minute or too much memory */
export async function composeInThread(page: MailedPage, limitMs = TIMEOUT_MS): Promise<ComposedMail> {
  const response = await runInThread<Composed>(THREAD, {
    workerData: page,
    env: {},
    limitMs,
    failure: (isLate, cause) =>
      new Error(isLate ? 'the report takes too long to read' : 'the report cannot be read', { cause }),
  });
  if ('failed' in response) throw new Refused(response.failed);
  const { attachments, ...mail } = response.mail;
  return { ...mail, ...(attachments && { attachments: attachments.map(inBuffer) }) };
}

function inBuffer({ content, ...rest }: MailAttachment): MailAttachment {
  return { ...rest, content: Buffer.from(content.buffer, content.byteOffset, content.byteLength) };
}
