// Objects of a bucket below a prefix: multipart upload verified by the store, ranged reads, list, remove.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { getCACertificates } from 'node:tls';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  type MultipartUpload,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { errors } from '@pressroom/api/contract';
import type { BlobSink, OpenBlob } from '../blob-store.ts';
import { isMissing, notRead, notStored } from './store-failure.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Empty for Amazon S3. */
  readonly endpoint: string;
  readonly pathStyle: boolean;
  /** Prefix of all keys; empty, or with a trailing slash. */
  readonly prefix: string;
  /** Empty for the credentials that the AWS SDK finds on the machine. */
  readonly keyId: string;
  readonly secret: string;
  /** File with certificates to trust in addition to the system's; empty for none. */
  readonly ca: string;
  /** Milliseconds for connecting and for each response. */
  readonly timeout: number;
  /** Maximum bytes of an object. */
  readonly largest: number;
}

export interface StoredObject {
  /** Without the prefix. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface ObjectFacts {
  readonly size: number;
  /** Hex, if it was stored with the object. */
  readonly md5: string | undefined;
}

export interface PartOf {
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  /** Expected MD5 in hex: the stream fails at its end if it differs. Not for a range. */
  readonly md5?: string | undefined;
}

export interface Objects extends Disposable {
  /** Sends nothing before the first chunk. @param md5 hex, stored with the object */
  sink(key: string, md5?: string): BlobSink;
  put(key: string, content: Readable, md5?: string): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(key: string, part?: PartOf): Promise<OpenBlob>;
  /** Null if it does not exist. @throws ApiError 1 with status 503 */
  facts(key: string): Promise<ObjectFacts | null>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<StoredObject[]>;
  /**
   * Aborts uploads started before a time; returns their keys.
   * @param before milliseconds since 1970
   * @param failed called for each that could not be aborted
   */
  abortUploads(before: number, failed: (error: unknown, key: string) => void): Promise<string[]>;
  /** Lists, writes and removes, without retries. @throws the store's response unchanged */
  probe(key: string): Promise<void>;
}

/** Minimum part size of S3. */
const PART = 5 * 2 ** 20;
/** Concurrent parts of an upload: times `PART`, its memory. */
const AT_ONCE = 4;
/** Limit of S3. */
const MAX_PARTS = 10_000;
const ATTEMPTS = 3;
/** Connections to the store. A slow download occupies one without blocking others: the SDK would open 50. */
const AGENT = { keepAlive: true, maxSockets: 1000 };

export function createObjects(options: S3Options): Objects {
  const { bucket: Bucket, prefix, largest } = options;
  const client = createClient(options, ATTEMPTS);
  const partSize = Math.max(PART, 2 ** 20 * Math.ceil(largest / MAX_PARTS / 2 ** 20));
  const at = (key: string) => ({ Bucket, Key: prefix + key });

  function upload(key: string, md5: string | undefined, Body: Readable): Promise<unknown> {
    const params = { ...at(key), Body, ...(md5 !== undefined && { Metadata: { md5 } }) };
    return new Upload({ client, params, partSize, queueSize: AT_ONCE }).done();
  }

  async function open(key: string, { range, md5 }: PartOf = {}): Promise<OpenBlob> {
    const Range = range && `bytes=${range.start}-${range.end - 1}`;
    try {
      const {
        Body,
        ContentLength = 0,
        ContentRange,
      } = await client.send(new GetObjectCommand({ ...at(key), Range }));
      if (!(Body instanceof IncomingMessage)) throw new Error('the response has no body');
      onlyWhileRead(Body, options.timeout);
      return {
        stream: checked(Body, range ? undefined : md5),
        size: Number(ContentRange?.split('/')[1] ?? ContentLength),
      };
    } catch (error) {
      throw notRead(error);
    }
  }

  async function remove(key: string): Promise<void> {
    await client.send(new DeleteObjectCommand(at(key))).catch((error: unknown) => {
      if (!isMissing(error)) throw notRead(error);
    });
  }

  async function uploadsBefore(time: number): Promise<MultipartUpload[]> {
    const found: MultipartUpload[] = [];
    let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {};
    do {
      const page = await client
        .send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...next }))
        .catch((error: unknown) => {
          throw notRead(error);
        });
      const isOld = ({ Initiated }: MultipartUpload) => (Initiated?.getTime() ?? Infinity) < time;
      found.push(...(page.Uploads ?? []).filter(isOld));
      next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      if (page.IsTruncated !== true) return found;
    } while (next.KeyMarker !== undefined);
    return found;
  }

  return {
    open,
    remove,
    sink: (key, md5) =>
      createSink(
        (body) => upload(key, md5, body),
        () => remove(key),
      ),
    async put(key, content, md5) {
      try {
        await upload(key, md5, content);
      } catch (error) {
        content.destroy();
        throw notStored(error);
      }
    },
    async facts(key) {
      try {
        const { ContentLength = 0, Metadata } = await client.send(new HeadObjectCommand(at(key)));
        return { size: ContentLength, md5: Metadata?.md5 };
      } catch (error) {
        if (isMissing(error)) return null;
        throw notRead(error);
      }
    },
    async list(below) {
      const found: StoredObject[] = [];
      try {
        for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: prefix + below }))
          for (const { Key = '', LastModified } of page.Contents ?? [])
            found.push({ key: Key.slice(prefix.length), modified: LastModified?.getTime() ?? Date.now() });
        return found;
      } catch (error) {
        throw notRead(error);
      }
    },
    async abortUploads(before, failed) {
      const aborted: string[] = [];
      for (const { Key = '', UploadId } of await uploadsBefore(before)) {
        const key = Key.slice(prefix.length);
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).then(
          () => aborted.push(key),
          // Another server's clean-up may have been faster.
          (error: unknown) => isMissing(error) || failed(notRead(error), key),
        );
      }
      return aborted;
    },
    async probe(key) {
      const impatient = createClient(options, 1);
      try {
        for await (const _ of paginateListObjectsV2(
          { client: impatient, pageSize: 1 },
          { Bucket, Prefix: prefix, MaxKeys: 1 },
        ))
          break;
        await impatient.send(new PutObjectCommand({ ...at(key), Body: Buffer.from('probe') }));
        await impatient.send(new DeleteObjectCommand(at(key)));
      } finally {
        impatient.destroy();
      }
    },
    [Symbol.dispose]: () => client.destroy(),
  };
}

function createClient(options: S3Options, maxAttempts: number): S3Client {
  const { region, endpoint, pathStyle, keyId, secret, ca, timeout } = options;
  const client = new S3Client({
    region,
    ...(endpoint !== '' && { endpoint }),
    forcePathStyle: pathStyle,
    ...(keyId !== '' && { credentials: { accessKeyId: keyId, secretAccessKey: secret } }),
    maxAttempts,
    // Stores other than Amazon's support only the digest below.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: Math.min(timeout, 5000),
      requestTimeout: timeout,
      throwOnRequestTimeout: true,
      socketTimeout: timeout,
      httpAgent: AGENT,
      httpsAgent: ca === '' ? AGENT : { ...AGENT, ca: [...getCACertificates(), readFileSync(ca, 'utf8')] },
    },
  });
  // The store verifies each part.
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as {
        request?: { body?: unknown; method?: string; headers: Record<string, string> };
      };
      if (request?.method === 'PUT' && request.body instanceof Uint8Array) {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        // The digest above is signed, so a second one over all bytes is redundant.
        request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      }
      return next(args);
    },
    { step: 'build', name: 'contentMd5' },
  );
  return client;
}

/** Limits the silence of the store, not that of a slow reader, for whom the body is paused. */
function onlyWhileRead(body: IncomingMessage, timeout: number): void {
  const { socket } = body;
  body.on('pause', () => socket.setTimeout(0)).on('resume', () => socket.setTimeout(timeout));
}

/** A body whose read errors are our own, without details of the request. */
function checked(body: Readable, md5: string | undefined): Readable {
  const hash = md5 === undefined ? null : createHash('md5');
  const stream = new Transform({
    highWaterMark: 256 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      hash?.update(chunk);
      done(null, chunk);
    },
    flush(done) {
      const isWhole = hash === null || hash.digest('hex') === md5;
      done(isWhole ? null : errors.bundleNotExtracted({ message: 'the stored archive is damaged' }));
    },
  });
  // The reader gets the error even if it starts later: without a listener until then it would end the process.
  stream.on('error', () => undefined);
  body.on('error', (error) => stream.destroy(notRead(error)));
  stream.on('close', () => body.destroy());
  return body.pipe(stream);
}

function createSink(start: (body: Readable) => Promise<unknown>, remove: () => Promise<void>): BlobSink {
  const body = new PassThrough({ highWaterMark: 2 ** 20 });
  // The consumer learns of the end through the upload.
  body.on('error', () => undefined);
  // Chunks are written one at a time: at most one waits for room.
  let goOn = () => {};
  body.on('drain', () => goOn()).on('close', () => goOn());
  let failure: Error | null = null;
  let upload: Promise<void> | null = null;
  let isStored = false;
  const begin = () =>
    (upload ??= start(body).then(
      () => undefined,
      (error: unknown) => {
        failure ??= notStored(error);
        // Releases a writer that waits for room.
        body.destroy();
      },
    ));

  return {
    async write(chunk) {
      void begin();
      if (failure !== null || body.destroyed) return;
      if (!body.write(chunk)) await new Promise<void>((resolve) => (goOn = resolve));
    },
    failed: () => failure !== null,
    throwIfFailed() {
      if (failure !== null) throw failure;
    },
    async finish() {
      const ended = begin();
      if (failure === null) body.end();
      await ended;
      if (failure !== null) throw failure;
      isStored = true;
    },
    async discard() {
      body.destroy(new Error('the upload was refused'));
      await upload;
      // The sweep finds what cannot be removed now.
      if (isStored) await remove().catch(() => undefined);
      else if (failure !== null) void remove().catch(() => undefined);
    },
  };
}
