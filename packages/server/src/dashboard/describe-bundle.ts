// Describes files that somebody dropped on a page, and builds their manifest, with the same result as the command line
// and the editor. The browser sends the names, and the text of the few files that matter. Nothing of it is run.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errors, kindLabel, quoteName } from '@pressroom/api/contract';
import { contentNameFrom, pathProblem } from '@pressroom/api/publish';
import { readInThread } from '../bundles/read/read-in-thread.ts';
import type { Installations } from '../runtime/installations.ts';

export interface DroppedFiles {
  /** Name of the dropped directory or archive. */
  readonly title: string;
  /** Text by path; empty if it does not matter. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface Described {
  /** The manifest.json to upload. */
  readonly manifest: object;
  /** Paths to upload, without those that are never published. */
  readonly files: readonly string[];
  readonly label: string;
  /** Suggested name of the content item. */
  readonly name: string;
  readonly warnings: readonly string[];
}

/** The explanation says to choose a type. */
const CHOSEN_ELSEWHERE = 'A type is chosen on the command line or in the editor, not here. ';
const MAX_FILES = 5000;
const MAX_PATH_LENGTH = 1024;
/** They are created to read the files: a path has room for hundreds. */
const MAX_DIRECTORIES = 5000;

/** @throws ApiError 25 */
export function parseDropped(text: string): DroppedFiles {
  const refuse = (message: string) => errors.invalidParameter({ message });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw errors.unreadableBody({ cause });
  }
  const { title, files } = Object(value) as Record<string, unknown>;
  if (typeof title !== 'string' || title.length > MAX_PATH_LENGTH)
    throw refuse(`title must be text of at most ${MAX_PATH_LENGTH} characters`);
  if (typeof files !== 'object' || files === null || Array.isArray(files))
    throw refuse('files must be an object: the text of each file by its path');
  const entries = Object.entries(files);
  if (entries.length > MAX_FILES)
    throw refuse(`these are more than ${MAX_FILES} files: use the command line or the editor`);
  const directories = new Set<string>();
  for (const [path, content] of entries) {
    if (typeof content !== 'string') throw refuse(`${quoteName(path)} must be text`);
    const problem = path.length > MAX_PATH_LENGTH ? 'the path is too long' : pathProblem(path);
    if (problem !== undefined) throw refuse(`${quoteName(path)} cannot be published: ${problem}`);
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      directories.add(path.slice(0, end));
    if (directories.size > MAX_DIRECTORIES)
      throw refuse(`these are more than ${MAX_DIRECTORIES} directories: use the command line or the editor`);
  }
  return { title, texts: new Map(entries) };
}

/** @throws ApiError 38 if nothing here can be published, with a remedy. */
export async function describeBundle(
  installations: Pick<Installations, 'findR' | 'findPython'>,
  { title, texts }: DroppedFiles,
): Promise<Described> {
  const root = await mkdtemp(join(tmpdir(), 'pressroom-dropped-'));
  try {
    await writeAll(root, texts);
    const versions = {
      r: (await installations.findR())?.version,
      python: (await installations.findPython())?.version ?? '',
    };
    const { files, built } = await readInThread({ root, versions, unknown: CHOSEN_ELSEWHERE });
    if (built === null) throw errors.invalidManifest();
    // The checksums would be those of the text sent here, not of the files.
    const { files: _sums, ...manifest } = built.manifest;
    return {
      manifest,
      files: files.map(({ path }) => path),
      label: kindLabel(manifest.metadata.appmode),
      name: contentNameFrom(title),
      warnings: built.source === 'existing' ? [] : built.warnings,
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** @throws ApiError 25 for names that no directory can have */
async function writeAll(root: string, texts: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of texts) {
    try {
      await mkdir(join(root, dirname(path)), { recursive: true });
      await writeFile(join(root, path), text);
    } catch (cause) {
      throw errors.invalidParameter({ message: `${path} cannot be published: rename it`, cause });
    }
  }
}
