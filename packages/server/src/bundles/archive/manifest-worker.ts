// Parses large manifests in a worker thread: the event loop stays free, and only what the server uses is returned.
import { messageOf } from '../../platform/errors.ts';
import { reduceInThread } from '../../platform/reduce-in-thread.ts';
import { badManifest } from './refusals.ts';

/** Characters kept of a manifest. */
const MAX_KEPT = 2 ** 20;

/** What the server uses of a manifest. */
const USED = [
  'version',
  'metadata',
  'platform',
  'locale',
  'packages',
  'python',
  'files',
  'jupyter',
  'environment',
  'quarto',
  'rendered',
];

/** Omits file checksums and unused fields of packages. */
const REDUCE = `
const { parentPort, workerData } = require('node:worker_threads');
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const pick = (from, names) => Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));
let result = null;
try {
  const root = JSON.parse(new TextDecoder().decode(workerData));
  if (!isObject(root)) result = JSON.stringify(null);
  else {
    const kept = pick(root, ${JSON.stringify(USED)});
    if (isObject(kept.files)) kept.files = {};
    if (isObject(kept.packages))
      kept.packages = Object.fromEntries(Object.entries(kept.packages).map(([name, value]) => {
        if (!isObject(value)) return [name, value];
        const some = pick(value, ['Source', 'Repository', 'description']);
        if (isObject(some.description)) some.description = pick(some.description, ['Version']);
        return [name, some];
      }));
    result = JSON.stringify(kept);
  }
} catch {}
parentPort.postMessage(result);
`;

/** The manifest as text, reduced to what the server uses. @throws ApiError 38 */
export async function reduceManifest(bytes: Uint8Array): Promise<string> {
  const text = await reduceInThread(REDUCE, bytes).catch((cause: unknown) => {
    throw badManifest(messageOf(cause), cause);
  });
  if (text === null) throw badManifest('manifest.json is not valid JSON');
  if (text.length > MAX_KEPT)
    throw badManifest('it says more than the server keeps: 1 MiB without its files');
  return text;
}
