// The beginning of a body, read before a place in an application is taken: whoever posts slowly holds no place.
import type { IncomingMessage } from 'node:http';

/** Bytes that must have come, unless the body ends before. */
const ENOUGH = 64 * 1024;

/** Settles when enough has come, or all of it. @throws when the visitor leaves before. */
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
