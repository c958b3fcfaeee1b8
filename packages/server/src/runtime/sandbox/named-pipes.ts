// Both ends of named pipes, of which content has the other end: nothing here waits for it.
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 1024;

/** Ends once everybody who wrote has closed it. */
export function openForReading(path: string): Socket {
  return streamOf(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW), true);
}

/** Also where nobody reads yet. */
export function openForWriting(path: string): Socket {
  return streamOf(openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW), false);
}

function streamOf(fd: number, readable: boolean): Socket {
  const stream = new Socket({ fd, readable, writable: !readable });
  // Its end is what counts.
  stream.on('error', () => stream.destroy());
  stream.on('end', () => stream.destroy());
  return stream;
}

/** What does not end in time, or is too long for a line, is dropped. */
export function readLines(stream: Socket, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('latin1');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) onLine(line);
  });
}
