// The parts of a multipart form: `archive` as a stream, and `metadata`.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { errors } from '@pressroom/api/contract';

interface UploadForm {
  readonly archive: Readable;
  /** The field of that name, once the whole form was read; null if there is none. */
  metadata(): Promise<string | null>;
}

/** Bytes. */
const MAX_METADATA = 16_384;

/** Null if the request is not a multipart form: then its body is the archive. */
export function formOf(request: IncomingMessage): UploadForm | null {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;.*\bboundary="?[^";\s]/i.test(type)) return null;
  // There may be no reader yet when the form turns out invalid, or none any more when the client disconnects: the
  // stream keeps its error for the reader, and without a listener it would end the process.
  const archive = new PassThrough().on('error', () => undefined);
  let found = false;
  let metadata: string | null = null;
  const form = openForm({ ...request.headers, 'content-type': type });
  form.on('file', (field, stream) => {
    // For each file: an interrupted one without a listener would end the process.
    stream.on('error', (cause) => archive.destroy(errors.bundleNotExtracted({ cause })));
    if (field !== 'archive' || found) {
      stream.resume();
      return;
    }
    found = true;
    stream.pipe(archive);
  });
  form.on('field', (field, value) => {
    if (field === 'metadata') metadata = value;
  });
  const whole = new Promise<void>((resolve) => {
    form.once('finish', resolve).once('error', () => resolve());
    request.once('close', () => request.complete || resolve());
  });
  form.on(
    'finish',
    () =>
      !found && archive.destroy(errors.parameterMissing({ message: 'the form has no file named archive' })),
  );
  form.on('error', (error) => archive.destroy(errors.bundleNotExtracted({ cause: error })));
  request.on('error', (error) => archive.destroy(error));
  request.pipe(form);
  return {
    archive,
    async metadata() {
      await whole;
      return metadata;
    },
  };
}

/** @throws ApiError 135 for an invalid boundary */
function openForm(headers: IncomingHttpHeaders & { 'content-type': string }): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers, limits: { files: 10, fields: 10, fieldSize: MAX_METADATA } });
  } catch (cause) {
    throw errors.bundleNotExtracted({ cause });
  }
}
