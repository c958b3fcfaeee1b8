// Packs and uploads in one pass: the archive is streamed from the files to the connection, and its checksum computed on
// the way.
import type { Client } from '../../client/client.ts';
import type { ClientClock } from '../../client/clock.ts';
import { packBundle } from '../archive/pack-bundle.ts';
import { metadataOf, type KnownCommit } from './commit.ts';
import type { PackEvent, UploadEvent } from './deploy-events.ts';
import type { Prepared } from './prepare.ts';

/** The server received other bytes than were sent. */
export class DamagedUploadError extends Error {
  override readonly name = 'DamagedUploadError';
  readonly code = 104;
  readonly hint = 'Publish again; if it stays, a proxy in between changes uploads.';
}

interface UploadTask {
  client: Client;
  guid: string;
  prepared: Prepared;
  concurrency: number | undefined;
  commit: KnownCommit;
  signal: AbortSignal;
  clock: ClientClock;
  report: (event: PackEvent | UploadEvent) => void;
  /** Called once the bundle exists, before it is verified. */
  onBundle: (bundleId: string) => void;
}

/** Milliseconds to wait for the response of a cancelled upload that was sent completely. */
const GRACE = 15_000;

export interface Uploaded {
  bundle_id: string;
  /** A discrepancy in the response, though the bundle is good. */
  warning: string | null;
}

/** Uploads; returns the bundle. Throws call failures, BundleError, DamagedUploadError or the signal's reason. */
export async function uploadBundle(task: UploadTask): Promise<Uploaded> {
  const { client, guid, prepared, report } = task;
  const metadata = await metadataOf(client, task.commit, task.signal);
  const stop = new AbortController();
  let read = false;
  const { stream, done } = packBundle({
    root: prepared.root,
    files: prepared.files,
    manifest: prepared.manifest,
    concurrency: task.concurrency,
    signal: stop.signal,
    onProgress: (progress) => report({ type: 'pack', ...progress }),
  });
  done.then(
    () => (read = true),
    () => undefined,
  );
  const finished = new AbortController();
  const cancel = () => void stopSoon();
  async function stopSoon(): Promise<void> {
    // Once everything is sent, the server creates a bundle anyway: its id is needed to remove it.
    if (read) await task.clock.sleep(GRACE, finished.signal).catch(() => undefined);
    stop.abort(task.signal.reason);
  }
  if (task.signal.aborted) stop.abort(task.signal.reason);
  task.signal.addEventListener('abort', cancel, { once: true });
  try {
    const uploaded = await client.uploadContentBundle(
      { guid, archive: stream, metadata },
      { signal: stop.signal, onProgress: (bytes) => report({ type: 'upload', bytes }) },
    );
    task.onBundle(uploaded.bundle_id);
    const { size, md5 } = await done;
    if ((uploaded.checksum ?? md5) !== md5) {
      throw new DamagedUploadError(
        `The server received ${uploaded.size ?? 'other'} bytes with checksum ${uploaded.checksum ?? 'unknown'}; ${size} bytes with checksum ${md5} were sent.`,
      );
    }
    report({ type: 'upload', bytes: size, total: size });
    // Servers may report the size on their disk: only a checksum proves a change in transfer.
    const other = uploaded.checksum === null && (uploaded.size ?? size) !== size;
    const warning = other
      ? `The server says that the bundle has ${uploaded.size} bytes; ${size} bytes were sent.`
      : null;
    return { bundle_id: uploaded.bundle_id, warning };
  } finally {
    finished.abort();
    task.signal.removeEventListener('abort', cancel);
    stream.destroy();
  }
}
