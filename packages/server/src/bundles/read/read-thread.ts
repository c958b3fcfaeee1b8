// The worker thread that reads one directory.
import { parentPort, workerData } from 'node:worker_threads';
import {
  buildManifest,
  BundleError,
  collectFiles,
  detectContent,
  explainUnknown,
  probePython,
  probeR,
  viewContent,
} from '@pressroom/api/bundle';
import { messageOf } from '../../platform/errors.ts';
import type { ReadResponse, Reading } from './read-in-thread.ts';

async function read({ root, limits, versions, isListed }: Reading): Promise<ReadResponse> {
  const { files, warnings } = await collectFiles(root, limits ? { limits } : {});
  if (isListed) return { read: { files, warnings, built: null } };
  const hasManifest = files.some(({ path }) => path === 'manifest.json');
  const [content] = hasManifest ? [] : await detectContent(root, files);
  const built = await buildManifest({
    root,
    files,
    ...(content !== undefined && { content }),
    whyUnknown: explainUnknown(await viewContent(root, files)),
    r: { probe: async () => (versions === null ? probeR().catch(() => undefined) : versions.r) },
    python: { probe: async () => (versions === null ? probePython() : versions.python) },
  });
  const { manifest, source } = built;
  return { read: { files: built.files, warnings, built: { manifest, source, warnings: built.warnings } } };
}

const reading = workerData as Reading;
const isUnknown = (error: unknown) => error instanceof BundleError && error.code === 'content-unknown';
const response = await read(reading).catch((error: unknown): ReadResponse => ({
  failed: `${isUnknown(error) ? (reading.unknown ?? '') : ''}${messageOf(error)}`,
  isOfBundle: error instanceof BundleError,
}));
parentPort?.postMessage(response);
