// An upload as a multipart form: the archive, and what is known of its source.
import { Readable } from 'node:stream';

export interface UploadForm {
  readonly stream: Readable;
  readonly contentType: string;
  /** Bytes around the archive. */
  readonly overhead: number;
}

export function uploadForm(archive: Readable, metadata: Readonly<Record<string, string>>): UploadForm {
  const boundary = `pressroom-${crypto.randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="archive"; filename="bundle.tar.gz"\r\nContent-Type: application/gzip\r\n\r\n`,
  );
  const tail = Buffer.from(
    `\r\n--${boundary}\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n${JSON.stringify(metadata)}\r\n--${boundary}--\r\n`,
  );
  async function* parts(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* archive;
    yield tail;
  }
  const stream = Readable.from(parts(), { objectMode: false });
  // The request reports a failure of the archive; a second report as an event would end the process.
  stream.on('error', () => undefined);
  return {
    stream,
    contentType: `multipart/form-data; boundary=${boundary}`,
    overhead: head.length + tail.length,
  };
}
