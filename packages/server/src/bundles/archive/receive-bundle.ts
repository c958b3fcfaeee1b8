// Writes an uploaded bundle to a temporary file and checks it, in one pass over its bytes.
import { createHash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { errors, type ApiError, type Manifest } from '@pressroom/api/contract';
import type { BlobSink } from '../../platform/blobs/blob-store.ts';
import { createBundleWalker, type BundleWalker } from './bundle-walker.ts';
import { createDiskRoom } from './disk-room.ts';
import type { ArchiveLimits } from './limits.ts';
import { createManifestFinder } from './manifest-finder.ts';
import { readableChunks } from './readable-chunks.ts';
import { badArchive, cannotWrite } from './refusals.ts';

export interface ReceiveBundleOptions {
  /** The request body. Never destroyed here, so that a refusal can still be sent. */
  source: Readable;
  /**
   * Where the bytes are written unchanged: a file that must not exist yet, or a store. Removed if the upload is refused
   * or fails.
   */
  file: string | BlobSink;
  /** Content-Length in bytes, when the client sent one. */
  declaredLength?: number | undefined;
  /** X-Content-Checksum as sent: hex MD5 in any case, or base64 of the 16 bytes. */
  checksum?: string | undefined;
  limits: ArchiveLimits;
  signal?: AbortSignal | undefined;
}

export interface ReceivedBundle {
  /** Bytes received. */
  size: number;
  /** Lower-case hex. */
  md5: string;
  /** Lower-case hex. */
  sha1: string;
  manifest: Manifest;
}

/**
 * Streams an upload to `file` while counting it, hashing it, and checking every entry by the rules of extraction
 * (contract, section 4.3, upload rules). When it resolves, the bytes are on disk (fsync).
 *
 * A refused bundle is still read to its end, up to the size limit and without being written: most clients read the
 * answer only after they have sent everything. An empty body is error 125 if the client declared length 0, and 135 if
 * it was chunked, because 125 is about Content-Length.
 * @throws ApiError, the first that applies of: 125, 126, 104, 134, 135, 38
 * @throws the source's error when the client disconnects, and `signal.reason`; nothing is left behind
 */
export async function receiveBundle(options: ReceiveBundleOptions): Promise<ReceivedBundle> {
  const { declaredLength, limits } = options;
  // The client may disconnect while the file is being opened; an error without a listener would end the process.
  options.source.on('error', () => {});
  options.signal?.throwIfAborted();
  if (declaredLength === 0) throw errors.emptyBody();
  if (declaredLength !== undefined && declaredLength > limits.maxBundleBytes) throw tooLarge(limits);

  const target = typeof options.file === 'string' ? await createTarget(options.file, limits) : options.file;
  const finder = createManifestFinder(limits);
  const walker = createBundleWalker(limits, finder);
  try {
    const { size, md5, sha1 } = await take(options, walker, target);
    if (declaredLength !== undefined && declaredLength !== size) {
      const message = `Content-Length is ${declaredLength}, but ${size} bytes were received`;
      throw errors.contentLengthMismatch({ message });
    }
    if (options.checksum !== undefined && !isChecksumOf(options.checksum, md5))
      throw errors.checksumMismatch();
    target.throwIfFailed();
    await walker.end();
    const manifest = await finder.manifest();
    await target.finish();
    return { size, md5: md5.toString('hex'), sha1, manifest };
  } catch (error) {
    await walker.cancel();
    await target.discard();
    throw error;
  }
}

async function take(
  { source, signal, limits }: ReceiveBundleOptions,
  walker: BundleWalker,
  target: BlobSink,
): Promise<{ size: number; md5: Buffer; sha1: string }> {
  const hash = createHash('md5');
  const sha1 = createHash('sha1');
  let size = 0;
  for await (const chunk of readableChunks(source, signal)) {
    size += chunk.length;
    if (size > limits.maxBundleBytes) throw tooLarge(limits);
    hash.update(chunk);
    sha1.update(chunk);
    if (!walker.failed() && !target.failed()) await Promise.all([target.write(chunk), walker.write(chunk)]);
  }
  return { size, md5: hash.digest(), sha1: sha1.digest('hex') };
}

function tooLarge(limits: ArchiveLimits): ApiError {
  return badArchive(`the upload is larger than ${limits.maxBundleBytes} bytes`);
}

/** A header in neither form never matches. */
function isChecksumOf(header: string, md5: Buffer): boolean {
  const text = header.trim();
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase() === md5.toString('hex');
  return text === md5.toString('base64');
}

/** Sockets deliver at most 64 KiB; writing several chunks at once saves thread switches. */
const WRITE_BYTES = 512 * 1024;

/** A temporary file. */
async function createTarget(file: string, limits: ArchiveLimits): Promise<BlobSink> {
  const room = createDiskRoom(dirname(file), limits.diskReserve);
  let handle: FileHandle;
  try {
    handle = await open(file, 'wx', 0o600);
  } catch (cause) {
    throw cannotWrite(cause);
  }
  let failure: Error | null = null;
  let held: Buffer[] = [];
  let heldBytes = 0;

  async function write(chunk: Buffer): Promise<void> {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes >= WRITE_BYTES) await flush();
  }

  async function flush(): Promise<void> {
    const pieces = held;
    held = [];
    heldBytes = 0;
    try {
      await room.take(pieces.reduce((sum, piece) => sum + piece.length, 0));
      // A write may be partial when the disk fills up; appendFile continues it.
      for (const piece of pieces) await handle.appendFile(piece);
    } catch (cause) {
      failure ??= cannotWrite(cause);
    }
  }

  function throwIfFailed(): void {
    if (failure !== null) throw failure;
  }

  async function finish(): Promise<void> {
    await flush();
    throwIfFailed();
    try {
      await handle.sync();
      await handle.close();
    } catch (cause) {
      throw cannotWrite(cause);
    }
  }

  async function discard(): Promise<void> {
    // Already closed, or closing repeats the write error: there is nothing to keep either way.
    await handle.close().catch(() => {});
    await rm(file, { force: true });
  }

  return { write, failed: () => failure !== null, throwIfFailed, finish, discard };
}
