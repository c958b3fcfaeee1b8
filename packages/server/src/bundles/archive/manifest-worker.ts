// Parses large manifests in a thread of their own: the event loop goes on, and only what the server uses comes back.
import { Worker } from 'node:worker_threads';
import { badManifest } from './refusals.ts';

/** Bytes up to which parsing takes no time worth a thread: a few milliseconds. */
export const PARSED_AT_ONCE = 128 * 1024;
/** Characters of what the server keeps of a manifest. */
const MAX_KEPT = 2 ** 20;
const MAX_SECONDS = 30;

/**
 * Leaves out the checksums of files and what nobody reads of packages. Plain JavaScript in a string: it is run where no
 * module of ours is loaded, from source as well as from the bundle that the build makes.
 */
const REDUCE = `
const { parentPort, workerData } = require('node:worker_threads');
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const pick = (from, names) => Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));
let answer = null;
try {
  const root = JSON.parse(new TextDecoder().decode(workerData));
  if (!isObject(root)) answer = JSON.stringify(null);
  else {
    const kept = pick(root, ['version', 'metadata', 'platform', 'locale', 'packages', 'python', 'files']);
    if (isObject(kept.files)) kept.files = {};
    if (isObject(kept.packages))
      kept.packages = Object.fromEntries(Object.entries(kept.packages).map(([name, value]) => {
        if (!isObject(value)) return [name, value];
        const some = pick(value, ['Source', 'Repository', 'description']);
        if (isObject(some.description)) some.description = pick(some.description, ['Version']);
        return [name, some];
      }));
    answer = JSON.stringify(kept);
  }
} catch {}
parentPort.postMessage(answer);
`;

/** The text of the same manifest with what the server uses. @throws ApiError 38 */
export async function reduceManifest(bytes: Uint8Array): Promise<string> {
  const worker = new Worker(REDUCE, {
    eval: true,
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 64 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const late = setTimeout(() => reject(badManifest('it takes too long to read')), MAX_SECONDS * 1000);
  worker.once('message', resolve);
  worker.once('error', (cause) => reject(badManifest('it takes too much memory to read', cause)));
  worker.once('exit', () => reject(badManifest('it cannot be read')));
  try {
    const text = await promise;
    if (text === null) throw badManifest('manifest.json is not valid JSON');
    if (text.length > MAX_KEPT)
      throw badManifest('it says more than the server keeps: 1 MiB without its files');
    return text;
  } finally {
    clearTimeout(late);
    await worker.terminate();
  }
}
