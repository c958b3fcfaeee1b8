// The worker thread that composes one mail.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../platform/errors.ts';
import { composeMail, type MailedPage } from './message.ts';

const response = await composeMail(workerData as MailedPage).then(
  (mail) => ({ mail }),
  (error: unknown) => ({ failed: messageOf(error) }),
);
parentPort?.postMessage(response);
