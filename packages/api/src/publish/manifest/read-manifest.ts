// Reads and checks a manifest.json that the publisher already has.
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { BundleError } from '../collect/bundle-error.ts';
import {
  comparePaths,
  describePath,
  isInside,
  pathProblem,
  refuseCaseCollisions,
  type BundleFile,
} from '../collect/bundle-file.ts';
import { mapLimited } from '../collect/concurrency.ts';
import { parseJson } from './json-position.ts';
import type { Manifest } from '../../contract/manifest/manifest.ts';
import { readListed } from '../collect/open-file.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const SHOWN = 10;

/**
 * Reads manifest.json at the top of a resolved root; undefined when there is none. Throws BundleError
 * `manifest-invalid` with the place of the mistake.
 */
export async function readManifest(root: string): Promise<Manifest | undefined> {
  const described = await describePath(root, 'manifest.json');
  if (described.kind === 'skip' && described.reason.startsWith('it disappeared')) return undefined;
  if (described.kind !== 'file') {
    throw invalid(`it is not a file: remove it, or write it again`);
  }
  if (described.file.size > MAX_BYTES) throw invalid(`it is bigger than ${MAX_BYTES} bytes`);
  const text = (await readListed(root, described.file)).toString('utf8').replace(/^\uFEFF/, '');
  return checkManifest(text);
}

/** Checks the text of a manifest. Unknown keys are kept. Throws BundleError `manifest-invalid`. */
export function checkManifest(text: string): Manifest {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw invalid(`it is not valid JSON; look at line ${parsed.line}, column ${parsed.column}`);
  }
  const { value } = parsed;
  if (!isObject(value)) throw invalid('it must be a JSON object');
  if (value.version !== 1)
    throw invalid(`"version" must be the number 1, not ${JSON.stringify(value.version)}`);
  if (!isObject(value.metadata)) throw invalid('"metadata" must be an object that has "appmode"');
  const { metadata } = value;
  if (typeof metadata.appmode !== 'string' || metadata.appmode === '') {
    throw invalid('"metadata.appmode" must name the kind of content, such as "static" or "shiny"');
  }
  for (const key of ['primary_rmd', 'primary_html', 'content_category', 'entrypoint']) {
    const field = metadata[key];
    if (field !== undefined && field !== null && typeof field !== 'string') {
      throw invalid(`"metadata.${key}" must be a string or null`);
    }
  }
  for (const key of ['primary_rmd', 'primary_html']) {
    const field = metadata[key];
    if (typeof field === 'string' && field.includes('/')) {
      throw invalid(`"metadata.${key}" must be a file at the top of the directory, not ${field}`);
    }
  }
  for (const key of ['packages', 'python', 'files']) {
    const field = value[key];
    if (field !== undefined && field !== null && !isObject(field))
      throw invalid(`"${key}" must be an object or null`);
  }
  for (const [name, entry] of Object.entries(isObject(value.files) ? value.files : {})) {
    const problem = pathProblem(name.replace(/^\.\//, ''));
    if (problem !== undefined) throw invalid(`"files" lists ${JSON.stringify(name)}: ${problem}`);
    if (!isObject(entry)) throw invalid(`"files" must give an object with "checksum" for ${name}`);
  }
  return value as unknown as Manifest;
}

/**
 * The files a manifest lists, looked up on disk; what it names is wanted even where it would be left out otherwise.
 * Throws BundleError `manifest-files-missing`, `unsafe-path` or `case-collision`.
 */
export async function listManifestFiles(
  root: string,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<BundleFile[]> {
  const names = Object.keys(manifest.files ?? {}).map((name) => name.replace(/^\.\//, ''));
  const wanted = [...new Set(names)].filter((name) => name !== 'manifest.json');
  await refuseDirectoriesOutside(root, wanted, signal);
  const files: BundleFile[] = [];
  const missing: string[] = [];
  await mapLimited(wanted, 64, signal, async (name) => {
    const described = await describePath(root, name);
    if (described.kind === 'file') {
      files.push(described.file);
    } else if (described.kind === 'skip' && described.unsafe) {
      throw new BundleError(
        'unsafe-path',
        `manifest.json lists ${name}, which cannot go into a bundle: ${described.reason}.`,
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
    const more = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : '';
    throw new BundleError(
      'manifest-files-missing',
      `manifest.json names files that are not there: ${shown.join(', ')}${more}. ` +
        'Restore them, or write the manifest again (or delete it to have a new one made).',
      { paths: missing },
    );
  }
  refuseCaseCollisions(files);
  return files.toSorted(comparePaths);
}

/** describePath looks at the last step of a path only; the directories above may be links that lead elsewhere. */
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
    throw new BundleError(
      'unsafe-path',
      `manifest.json lists files in ${directory}, a link that leads outside the directory: copy them in.`,
      { paths: [directory] },
    );
  });
}

/** Whether a value is a plain JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(what: string): BundleError {
  return new BundleError(
    'manifest-invalid',
    `manifest.json cannot be used: ${what}. Correct it, or delete it to have a new one made.`,
    { paths: ['manifest.json'] },
  );
}
