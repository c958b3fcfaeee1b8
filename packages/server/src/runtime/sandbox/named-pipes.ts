// Opens named pipes whose other end belongs to content, without blocking.
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';

const MAX_LINE = 1024;

/** Ends once all writers have closed it. */
export function openForReading(path: string): Socket {
  return streamOf(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW), true);
}

/** Works before there is a reader. */
export function openForWriting(path: string): Socket {
  return streamOf(openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW), false);
}

function streamOf(fd: number, readable: boolean): Socket {
  const stream = new Socket({ fd, readable, writable: !readable });
  // Only its end matters.
  stream.on('error', () => stream.destroy());
  stream.on('end', () => stream.destroy());
  return stream;
}

/** Lines that are too long or unterminated are dropped. */
export function readLines(stream: Socket, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('latin1');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) onLine(line);
  });
}
