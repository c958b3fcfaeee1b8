// Objects of one bucket below one prefix: streamed in by parts that the store checks, read by ranges, listed, removed.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PassThrough, Readable, Transform } from 'node:stream';
import { getCACertificates } from 'node:tls';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { errors } from '@pressroom/api/contract';
import { Upload } from '@aws-sdk/lib-storage';
import type { BlobSink, OpenBlob } from '../blob-store.ts';
import { isMissing, notRead, notStored } from './store-failure.ts';

export interface S3Options {
  readonly bucket: string;
  readonly region: string;
  /** Empty: Amazon's own. */
  readonly endpoint: string;
  readonly pathStyle: boolean;
  /** Of all keys; empty, or ends with a slash. */
  readonly prefix: string;
  /** Empty: what the machine has, as the AWS SDK finds it. */
  readonly keyId: string;
  readonly secret: string;
  /** File with the certificates to trust besides the system's; empty: none. */
  readonly ca: string;
  /** Milliseconds for connecting and for each answer. */
  readonly timeout: number;
  /** Bytes of the largest object. */
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
  /** Hex, where it was given with the object. */
  readonly md5: string | undefined;
}

export interface PartOf {
  readonly range?: { readonly start: number; readonly end: number } | undefined;
  /** In hex: the stream fails at its end where it is another. Not for a range. */
  readonly md5?: string | undefined;
}

export interface Objects extends Disposable {
  /** Nothing is sent before the first piece. @param md5 hex, kept with the object */
  sink(key: string, md5?: string): BlobSink;
  put(key: string, content: Readable, md5?: string): Promise<void>;
  /** @throws ApiError 4, 1 with status 503 */
  open(key: string, part?: PartOf): Promise<OpenBlob>;
  /** Null where there is none. @throws ApiError 1 with status 503 */
  facts(key: string): Promise<ObjectFacts | null>;
  remove(key: string): Promise<void>;
  list(prefix: string): Promise<StoredObject[]>;
  /** Ends uploads that began before; answers their keys. @param before milliseconds since 1970 */
  abortUploads(before: number): Promise<string[]>;
  /** Lists, writes and removes, once and without patience. @throws what the store answered, as it is */
  probe(key: string): Promise<void>;
}

/** The smallest that S3 takes. */
const PART = 5 * 2 ** 20;
/** Parts under way at once for an upload: with `PART`, the memory that it takes. */
const AT_ONCE = 4;
/** As S3 has it. */
const MOST_PARTS = 10_000;
const ATTEMPTS = 3;
/** Connections to the store. A slow download keeps one, and nobody else waits for it: the SDK would open 50. */
const AGENT = { keepAlive: true, maxSockets: 1000 };

export function createObjects(options: S3Options): Objects {
  const { bucket: Bucket, prefix, largest } = options;
  const client = createClient(options, ATTEMPTS);
  const partSize = Math.max(PART, 2 ** 20 * Math.ceil(largest / MOST_PARTS / 2 ** 20));
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
      if (!(Body instanceof Readable)) throw new Error('the answer has no body');
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
    async abortUploads(before) {
      const { Uploads = [] } = await client
        .send(new ListMultipartUploadsCommand({ Bucket, Prefix: prefix }))
        .catch((error: unknown) => {
          throw notRead(error);
        });
      const old = Uploads.filter(({ Initiated }) => (Initiated?.getTime() ?? Infinity) < before);
      for (const { Key, UploadId } of old)
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId })).catch(() => undefined);
      return old.map(({ Key = '' }) => Key.slice(prefix.length));
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
    // Stores other than Amazon's know only the digest below.
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
  // The store refuses a part that is not what was sent.
  client.middlewareStack.add(
    (next) => (args) => {
      const { request } = args as {
        request?: { body?: unknown; method?: string; headers: Record<string, string> };
      };
      if (request?.method === 'PUT' && request.body instanceof Uint8Array) {
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
        // The digest above is signed: a second one over all bytes would say no more.
        request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      }
      return next(args);
    },
    { step: 'build', name: 'contentMd5' },
  );
  return client;
}

/** A body whose failure in the middle is one of ours, with nothing of the request in it. */
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
  // Whoever reads it hears of its failure, also who begins later: without a listener until then it would end the process.
  stream.on('error', () => undefined);
  body.on('error', (error) => stream.destroy(notRead(error)));
  stream.on('close', () => body.destroy());
  return body.pipe(stream);
}

function createSink(start: (body: Readable) => Promise<unknown>, remove: () => Promise<void>): BlobSink {
  const body = new PassThrough({ highWaterMark: 2 ** 20 });
  // Whoever takes it hears of its end by the upload.
  body.on('error', () => undefined);
  // One piece at a time is written: one at most waits for room.
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
        // Whoever waits for room waits no longer.
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
      // What cannot be removed now is found by the sweep.
      if (isStored) await remove().catch(() => undefined);
      else if (failure !== null) void remove().catch(() => undefined);
    },
  };
}
