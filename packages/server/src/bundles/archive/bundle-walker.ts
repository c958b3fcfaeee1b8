// Turns the bytes of a bundle into checked entries: one gunzip and one tar reader, fed chunk by chunk.
import { createGunzip, type ZlibOptions } from 'node:zlib';
import { ApiError } from '@pressroom/api/contract';
import { errnoOf } from '../../platform/errors.ts';
import { createEntryRules } from './entry-rules.ts';
import type { ArchiveLimits } from './limits.ts';
import { badArchive } from './refusals.ts';
import { createTarReader, type EntrySink } from './tar-reader.ts';

/** Walks one bundle. */
export interface BundleWalker {
  /** Accepts a chunk; settles when there is room for more. Never rejects: `end` reports errors. */
  write(chunk: Buffer): Promise<void>;
  /** Whether the bundle was already refused, so that further bytes are ignored. */
  failed(): boolean;
  /**
   * Marks the end of the bundle and waits for the last entry.
   * @throws ApiError 135 for a bundle that is no gzip-compressed tar or breaks a rule; errors of the sink
   */
  end(): Promise<void>;
  /** Stops without a result and waits until the sink is no longer called. */
  cancel(): Promise<void>;
}

/** Chunk size of the inflated output: large enough that a 2 GiB bundle causes few thread switches. */
const INFLATED_PIECE = 256 * 1024;
/** Compressed bytes that may be queued for inflation. */
const WAITING_BYTES = 1024 * 1024;

/**
 * A walker that passes the entries of a bundle to `sink`.
 *
 * Consecutive gzip members form one stream (RFC 1952, section 2.2), as in every gzip reader; a second archive in a
 * later member follows the end of the first, and is refused.
 */
export function createBundleWalker(limits: ArchiveLimits, sink: EntrySink): BundleWalker {
  const options: ZlibOptions & { writableHighWaterMark: number } = {
    chunkSize: INFLATED_PIECE,
    writableHighWaterMark: WAITING_BYTES,
  };
  const gunzip = createGunzip(options);
  const rules = createEntryRules(limits);
  const reader = createTarReader({ rules, maxPathBytes: limits.maxPathBytes, sink });
  let failure: { error: unknown } | null = null;
  let over = false;
  let received = 0;
  let isZip = false;

  const reading = read();

  async function read(): Promise<void> {
    try {
      for await (const chunk of gunzip) await reader.push(chunk as Buffer);
      reader.end();
    } catch (error) {
      failure ??= { error: zlibRefusal(error, isZip) };
    } finally {
      over = true;
    }
  }

  async function write(chunk: Buffer): Promise<void> {
    if (received === 0) isZip = chunk.subarray(0, 2).toString('latin1') === 'PK';
    received += chunk.length;
    if (over || gunzip.write(chunk)) return;
    // After the end of the gzip stream or a failure there is no `drain` event.
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        gunzip.off('drain', proceed);
        resolve();
      };
      gunzip.on('drain', proceed);
      void reading.then(proceed);
    });
  }

  async function end(): Promise<void> {
    if (received === 0) throw badArchive('it is empty');
    if (!over) gunzip.end();
    await reading;
    if (failure !== null) throw failure.error;
    // zlib ignores anything after the last gzip member.
    if (gunzip.bytesWritten !== received) throw badArchive('something follows the compressed data');
  }

  async function cancel(): Promise<void> {
    failure ??= { error: badArchive('cancelled') };
    gunzip.destroy();
    await reading;
  }

  return { write, failed: () => failure !== null, end, cancel };
}

function zlibRefusal(error: unknown, isZip: boolean): unknown {
  if (error instanceof ApiError || !(error instanceof Error)) return error;
  const code = errnoOf(error);
  if (code === 'Z_BUF_ERROR') return badArchive('the compressed data is truncated', error);
  const found = isZip ? 'a ZIP archive, not a tar.gz' : 'not gzip-compressed data, or damaged';
  if (code === 'Z_DATA_ERROR') return badArchive(found, error);
  if (code?.startsWith('Z_')) return badArchive('the compressed data cannot be read', error);
  return error;
}
