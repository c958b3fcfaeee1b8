// The unix socket of a content process: held open, so that a later file of the same name is never connected to.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errnoOf } from '../../platform/errors.ts';
import { O_PATH } from '../sandbox/descriptors.ts';

export interface ContentSocket {
  /** Refers to this socket, whatever has its name now. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Null while there is none.
 * @param uid account that runs the content: sockets of others are refused.
 * @throws if it is no socket of that account: a link, a file, somebody else's socket.
 */
export async function openContentSocket(path: string, uid: number): Promise<ContentSocket | null> {
  let handle: FileHandle;
  try {
    handle = await open(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isSocket() || stat.uid !== uid) {
      throw new Error('the process replaced its socket with another file');
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { path: `/proc/self/fd/${handle.fd}`, close: () => handle.close() };
}
