// Answers a form with a backup of the server.
import { createReadStream } from 'node:fs';
import { errors } from '@pressroom/api/contract';
import type { FastifyReply } from 'fastify';
import type { PageRequest } from './page.ts';
import { isFresh } from './pages/backup.ts';

/** @throws ApiError 22 for others than administrators who have just signed in, and while another backup is made */
export async function sendBackup(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { parts, caller } = request;
  const { storage, audit, clock } = parts;
  if (caller.role !== 'administrator') throw errors.operationDenied();
  if (!(await isFresh(request)))
    throw errors.operationDenied({ message: 'Sign in again: a backup needs a sign-in within ten minutes.' });
  const made = await parts.backup();
  if (made === null) throw errors.operationDenied({ message: 'Another backup is being made or downloaded.' });
  try {
    await storage.write((tx) =>
      audit(tx, caller, 'download_backup', `Downloaded a backup of ${made.bytes} bytes`),
    );
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
  const stream = createReadStream(made.file);
  stream.once('close', () => void made[Symbol.asyncDispose]());
  const day = new Date(clock.now() / 1000).toISOString().slice(0, 10);
  return reply
    .header('Content-Length', made.bytes)
    .header('Content-Disposition', `attachment; filename="pressroom-${day}.tar"`)
    .header('Cache-Control', 'no-store')
    .type('application/x-tar')
    .send(stream);
}
