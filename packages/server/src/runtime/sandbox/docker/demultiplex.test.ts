// Covers demultiplexing of output: frames of any size, split anywhere.
import { expect, it } from 'vitest';
import { createDemultiplexer } from './demultiplex.ts';

const frame = (stream: number, text: string) => {
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
};

it.each([1, 2, 3, 7, 8, 9, 1000])('separates the streams when read %i bytes at a time', (size) => {
  const sent = Buffer.concat([frame(1, 'to be'), frame(2, 'or not'), frame(1, ''), frame(1, ' or so')]);
  const read = { stdout: '', stderr: '' };
  const write = createDemultiplexer((chunk, from) => (read[from] += String(chunk)));
  for (let at = 0; at < sent.length; at += size) write(sent.subarray(at, at + size));
  expect(read).toEqual({ stdout: 'to be or so', stderr: 'or not' });
});
