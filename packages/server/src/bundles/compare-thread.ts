// The worker thread that compares the files of two bundles.
import { parentPort, workerData } from 'node:worker_threads';
import { type ArchivedFiles, compareFiles } from '@pressroom/api/publish';

const [before, after] = (workerData as readonly ArchivedFiles[]).map(inBuffers);
parentPort?.postMessage(await compareFiles(before!, after!));

/** Between threads, buffers become plain bytes. */
function inBuffers(files: ArchivedFiles): ArchivedFiles {
  return new Map(
    [...files].map(([path, { bytes, ...file }]) => [
      path,
      { ...file, bytes: bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) },
    ]),
  );
}
