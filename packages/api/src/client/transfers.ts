// Uploads and downloads of archives, as streams.
import { Readable } from 'node:stream';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Caller, Sending } from './caller.ts';
import { conform } from './conform.ts';
import { INVALID_RESPONSE, wording } from './failure-texts.ts';
import { InvalidResponseError } from './failures.ts';
import type {
  BundleDownload,
  CallOptions,
  UploadArguments,
  UploadOptions,
  UploadReceipt,
} from './methods.ts';
import { uploadForm } from './multipart.ts';
import { discard, readJson } from './read-response.ts';
import { pathOf } from './request.ts';
import type { RawResponse } from './transport.ts';
import { countedArchive } from './upload-source.ts';

/** Throws the failure of reading the archive, or call failures. */
export async function upload(
  { exchange, reading, timeouts }: Caller,
  endpoint: Endpoint,
  args: UploadArguments,
  callOptions: UploadOptions,
): Promise<UploadReceipt> {
  const name = 'uploadContentBundle';
  const size = args.archive instanceof Readable ? args.size : args.archive.byteLength;
  const source = countedArchive(args.archive, callOptions.onProgress);
  const isCurrent = endpoint.operationId === 'uploadContentBundleGa';
  const form = args.metadata && isCurrent ? uploadForm(source.stream, args.metadata) : undefined;
  const headers = {
    'content-type': form?.contentType ?? 'application/gzip',
    ...(size !== undefined && { 'content-length': String(size + (form?.overhead ?? 0)) }),
    ...(args.checksum !== undefined && { 'x-content-checksum': args.checksum }),
  };
  const sending: Sending = {
    name,
    endpoint,
    method: endpoint.method,
    path: pathOf(endpoint, { guid: args.guid }),
    exchange: { body: form?.stream ?? source.stream, headers, headersTimeout: timeouts.upload },
    once: true,
  };
  try {
    return await exchange(sending, callOptions, async (response) => {
      const read = reading(name, callOptions);
      const json = conform(endpoint, await readJson(response, read), read.context) as Record<string, unknown>;
      const received = json['size'];
      return {
        bundle_id: String(json['bundle_id'] ?? json['id']),
        size: typeof received === 'number' ? received : null,
        checksum: checksumOf(response),
      };
    });
  } catch (error) {
    // A failure of reading the archive is the cause, whatever error the connection reports.
    throw source.failure() ?? error;
  } finally {
    source.release();
  }
}

/** Throws call failures, also for a web page instead of an archive. */
export function download(
  { exchange, url }: Caller,
  sending: Sending,
  callOptions: CallOptions,
): Promise<BundleDownload> {
  return exchange(sending, callOptions, async (response) => {
    const length = Number(response.headers['content-length'] ?? Number.NaN);
    if (/html/i.test(String(response.headers['content-type'] ?? ''))) {
      await discard(response);
      throw new InvalidResponseError({
        operation: sending.name,
        server: url,
        kind: 'html',
        status: response.status,
        message: wording(INVALID_RESPONSE.archivePage, url),
      });
    }
    // A response that has arrived whole and is destroyed unread reports that as an error, which would end the process.
    response.body.on('error', () => undefined);
    return { stream: response.body, size: Number.isSafeInteger(length) ? length : null };
  });
}

/** The MD5 reported by the server, as lower-case hex; null if it reports none. */
function checksumOf(response: RawResponse): string | null {
  const text = String(response.headers['x-content-checksum'] ?? '').trim();
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  return /^[A-Za-z0-9+/]{22}==$/.test(text) ? Buffer.from(text, 'base64').toString('hex') : null;
}
