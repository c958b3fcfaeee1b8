// Reads the start of a body before a slot in an application is taken: slow uploads hold none.
import type { IncomingMessage } from 'node:http';

/** Bytes to wait for, unless the body ends before. */
const ENOUGH = 64 * 1024;

/** Settles when enough has arrived, or all of it. @throws if the visitor leaves before. */
export function readAhead(request: IncomingMessage): Promise<Buffer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer[]>();
  const chunks: Buffer[] = [];
  let size = 0;
  const done = () => {
    request.off('data', take).off('end', done).off('close', leave).off('error', leave);
    request.pause();
    resolve(chunks);
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= ENOUGH) done();
  };
  const leave = () => reject(new Error('the visitor went away'));
  if (request.destroyed) leave();
  request.on('data', take).once('end', done).once('close', leave).once('error', leave);
  return promise;
}
