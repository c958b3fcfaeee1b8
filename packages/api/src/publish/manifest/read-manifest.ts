// Reads and validates an existing manifest.json.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { wording } from '../../client/failure-texts.ts';
import { isObject } from '../../contract/is-object.ts';
import type { ManifestFile } from '../../contract/manifest/manifest-file.ts';
import type { Manifest } from '../../contract/manifest/manifest.ts';
import { ManifestError, manifestOf } from '../../contract/manifest/parse-manifest.ts';
import { BundleError } from '../collect/bundle-error.ts';
import {
  DISAPPEARED,
  comparePaths,
  describePath,
  isInside,
  pathProblem,
  refuseCaseCollisions,
  type BundleFile,
} from '../collect/bundle-file.ts';
import { mapLimited } from '../collect/concurrency.ts';
import { readListed } from '../collect/open-file.ts';
import { createTurns } from '../collect/turns.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { parseJson } from './json-position.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const SHOWN = 10;

/**
 * Reads manifest.json at the top level of a resolved root; undefined if there is none. Throws BundleError
 * `manifest-invalid` with the position of the error.
 */
export async function readManifest(root: string): Promise<ManifestFile | undefined> {
  const described = await describePath(root, 'manifest.json');
  if (described.kind === 'skip' && described.reason === DISAPPEARED) return undefined;
  if (described.kind !== 'file') {
    throw invalid('it is not a file: remove it, or write it again');
  }
  if (described.file.size > MAX_BYTES) throw invalid(`it is bigger than ${MAX_BYTES} bytes`);
  const text = (await readListed(root, described.file)).toString('utf8').replace(/^\uFEFF/, '');
  return checkManifest(text);
}

/** Validates the text of a manifest. Unknown keys are kept. Throws BundleError `manifest-invalid`. */
export function checkManifest(text: string): ManifestFile {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw invalid(`it is not valid JSON; look at line ${parsed.line}, column ${parsed.column}`);
  }
  const { files } = readValue(parsed.value);
  for (const [name, entry] of Object.entries(files ?? {})) {
    const problem = pathProblem(name.replace(/^\.\//, ''));
    if (problem !== undefined) throw invalid(`files lists ${JSON.stringify(name)}: ${problem}`);
    if (!isObject(entry)) throw invalid(`files has no object with a checksum for ${name}`);
  }
  return parsed.value as ManifestFile;
}

function readValue(value: unknown): Manifest {
  try {
    return manifestOf(value);
  } catch (error) {
    throw error instanceof ManifestError ? invalid(error.problem, error) : error;
  }
}

/** Without a list, all collected files are published with the manifest. */
export function listsFiles({ files }: ManifestFile): boolean {
  return Object.keys(files ?? {}).length > 0;
}

/**
 * The files a manifest lists, looked up on disk; they are included even if excluded by default. Throws BundleError
 * `manifest-files-missing`, `unsafe-path` or `case-collision`.
 */
export async function listManifestFiles(
  root: string,
  manifest: ManifestFile,
  signal?: AbortSignal,
): Promise<BundleFile[]> {
  const names = Object.keys(manifest.files ?? {}).map((name) => name.replace(/^\.\//, ''));
  const wanted = [...new Set(names)].filter((name) => name !== 'manifest.json');
  await refuseDirectoriesOutside(root, wanted, signal);
  const files: BundleFile[] = [];
  const missing: string[] = [];
  const turns = createTurns();
  await mapLimited(wanted, 64, signal, async (name) => {
    const described = await describePath(root, name, turns);
    if (described.kind === 'file') {
      files.push(described.file);
    } else if (described.kind === 'skip' && described.unsafe) {
      throw new BundleError(
        'unsafe-path',
        wording(BUNDLE_TEXTS.manifestUnsafe, name, wording(described.reason)),
        { paths: [name] },
      );
    } else missing.push(name);
  });
  const { metadata } = manifest;
  for (const primary of [metadata.primary_rmd, metadata.primary_html]) {
    if (typeof primary === 'string' && primary !== '' && !wanted.includes(primary)) missing.push(primary);
  }
  if (missing.length > 0) {
    const shown = missing.toSorted().slice(0, SHOWN);
    const more = missing.length > SHOWN ? ', …' : '';
    throw new BundleError(
      'manifest-files-missing',
      wording(BUNDLE_TEXTS.manifestMissing, `${shown.join(', ')}${more}`),
      { paths: missing },
    );
  }
  refuseCaseCollisions(files);
  return files.toSorted(comparePaths);
}

/** describePath checks the last component of a path only; parent directories may be links that lead elsewhere. */
async function refuseDirectoriesOutside(
  root: string,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const directories = [...new Set(names.map((name) => path.posix.dirname(name)))];
  await mapLimited(directories, 64, signal, async (directory) => {
    let real: string;
    try {
      real = await realpath(path.join(root, directory));
    } catch {
      return; // Whatever lies below is reported as missing.
    }
    if (isInside(root, real)) return;
    throw new BundleError('unsafe-path', wording(BUNDLE_TEXTS.manifestOutside, directory), {
      paths: [directory],
    });
  });
}

function invalid(what: string, cause?: unknown): BundleError {
  return new BundleError('manifest-invalid', wording(BUNDLE_TEXTS.manifest, what), {
    paths: ['manifest.json'],
    cause,
  });
}
