// Notices that a response is slow, before it is given up.
import { Readable } from 'node:stream';
import type { ConnectionRequest } from './transport.ts';

/** Calls `waiting` once if no response comes in time. An upload shows its own progress: the time starts at its end. */
export function whenSlow(request: ConnectionRequest, slow: number, waiting: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const start = () => (timer = setTimeout(waiting, slow + polled(request)));
  const { body } = request;
  if (body instanceof Readable) body.once('end', start);
  else start();
  return {
    stop() {
      if (body instanceof Readable) body.off('end', start);
      clearTimeout(timer);
    },
  };
}

/** Milliseconds that the request asks the server to wait. */
function polled({ path }: ConnectionRequest): number {
  return Math.max(
    0,
    ...[...path.matchAll(/[?&](?:output_)?wait=(\d+)/g)].map(([, wait]) => Number(wait) * 1000),
  );
}
