// Sends a backup of this server to an administrator who has just confirmed their identity.
import { createReadStream } from 'node:fs';
import { errors } from '@pressroom/api/contract';
import type { Audit } from '../audit/record.ts';
import type { TarResponse } from '../http/request.ts';
import { callerNow } from '../people/caller-now.ts';
import type { BackupNow } from '../platform/backup.ts';
import { toTimestamp, type Clock } from '../platform/clock.ts';
import type { Storage } from '../platform/database/storage.ts';
import type { Caller } from '../sign-in/authenticator.ts';

interface Parts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly backup: BackupNow;
}

/**
 * Creates a backup, sends it and removes it.
 * @param signal aborts when the client disconnects. @throws ApiError 100 while another backup is made or sent
 */
export async function sendBackup(parts: Parts, caller: Caller, signal: AbortSignal): Promise<TarResponse> {
  const { storage, audit, clock } = parts;
  const made = await parts.backup();
  if (made === null)
    throw errors.itemBusy({ message: 'Another backup is being made or downloaded. Try again in a moment.' });
  try {
    if (signal.aborted)
      throw errors.operationDenied({ message: 'The program no longer waits for the backup.' });
    await storage.write(async (tx) => {
      // A backup takes minutes.
      if ((await callerNow(tx, caller)).role !== 'administrator') throw errors.operationDenied();
      await audit(tx, caller, 'download_backup', `Downloaded a backup of ${made.bytes} bytes`);
    });
  } catch (error) {
    await made[Symbol.asyncDispose]();
    throw error;
  }
  const stream = createReadStream(made.file);
  stream.once('close', () => void made[Symbol.asyncDispose]());
  const stop = () => stream.destroy();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return { stream, size: made.bytes, name: `pressroom-${toTimestamp(clock.now()).slice(0, 10)}.tar` };
}
