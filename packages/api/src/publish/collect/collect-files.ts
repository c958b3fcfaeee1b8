// Lists the files of a bundle, and what is excluded and why, without reading file contents.
import type { Dirent } from 'node:fs';
import { readFile, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { wording } from '../../client/failure-texts.ts';
import { textOfBytes } from '../../contract/manifest/text-of-bytes.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { BundleError } from './bundle-error.ts';
import {
  comparePaths,
  describePath,
  pathProblem,
  refuseCaseCollisions,
  resolveRoot,
  unreadable,
  type BundleFile,
} from './bundle-file.ts';
import { mapLimited } from './concurrency.ts';
import { PYTHON_ENVIRONMENT_REASON, defaultExclusion, defaultExclusionAbove } from './default-exclusions.ts';
import {
  addIgnoreFile,
  ignores,
  includeRules,
  noRules,
  patternRules,
  type IgnoreRules,
  type IncludeRules,
} from './ignore-rules.ts';
import { largestOf } from './largest-files.ts';
import { createTurns, type Turns } from './turns.ts';

/** Limits of a bundle; exceeding one is an error of that name. */
export interface CollectLimits {
  /** Number of files (`too-many-files`). */
  files: number;
  /** Sum of sizes in bytes (`too-large`). */
  bytes: number;
  /** Length of one path in UTF-8 bytes (`path-too-long`). */
  pathBytes: number;
  /** Number of directories above a file (`too-deep`). */
  depth: number;
}

/** 200,000 files, 16 GiB, paths of 1,024 bytes, 64 directories deep. */
export const DEFAULT_LIMITS: Readonly<CollectLimits> = {
  files: 200_000,
  bytes: 16 * 1024 ** 3,
  pathBytes: 1024,
  depth: 64,
};

export interface CollectProgress {
  files: number;
  /** Bytes of the files so far. */
  bytes: number;
}

export interface CollectOptions {
  /** gitignore patterns that override exclusions; secrets must be named explicitly, not just by a parent. */
  include?: readonly string[];
  /** gitignore patterns to exclude, in addition to the default exclusions and `.pressroomignore` files. */
  exclude?: readonly string[];
  /** Also follow `.gitignore` files. Off by default: built artefacts are often git-ignored but needed. */
  gitignore?: boolean;
  limits?: Partial<CollectLimits>;
  signal?: AbortSignal;
  /** Called once per directory. */
  onProgress?: (progress: CollectProgress) => void;
}

export interface ExcludedPath {
  /** Relative; with a trailing slash for a directory, whose contents are not listed. */
  path: string;
  reason: string;
}

export interface CollectedFiles {
  /** Sorted by path. */
  files: BundleFile[];
  count: number;
  bytes: number;
  /** The ten biggest files, biggest first. */
  largest: { path: string; size: number }[];
  /** Sorted by path; at most 10,000 are listed, `excludedCount` is the total. */
  excluded: ExcludedPath[];
  excludedCount: number;
  warnings: string[];
}

export const EXCLUDED_SHOWN = 10_000;
const WARNINGS_SHOWN = 100;
const STATS_AT_ONCE = 64;
const IGNORE_FILE_BYTES = 1024 * 1024;

interface Directory {
  /** '' for the root. */
  path: string;
  rules: IgnoreRules;
  depth: number;
  /** Inside an excluded directory: only paths matching an include pattern are collected. */
  onlyIncluded: boolean;
}

interface Walk {
  root: string;
  turns: Turns;
  options: CollectOptions;
  limits: CollectLimits;
  include: IncludeRules;
  exclude: IgnoreRules;
  files: BundleFile[];
  bytes: number;
  excluded: ExcludedPath[];
  excludedCount: number;
  warnings: string[];
}

/**
 * Lists the files below `dir` that belong in a bundle. Memory grows with the number of files, not with their size.
 * Throws BundleError (`not-found`, `not-a-directory`, `unreadable`, `too-many-files`, `too-large`, `path-too-long`,
 * `too-deep`, `case-collision`), or the signal's reason.
 */
export async function collectFiles(dir: string, options: CollectOptions = {}): Promise<CollectedFiles> {
  options.signal?.throwIfAborted();
  const walk: Walk = {
    root: await resolveRoot(dir),
    turns: createTurns(),
    options,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    include: includeRules(options.include ?? []),
    exclude: patternRules(options.exclude ?? []),
    files: [],
    bytes: 0,
    excluded: [],
    excludedCount: 0,
    warnings: [],
  };
  const pending: Directory[] = [{ path: '', rules: noRules(), depth: 0, onlyIncluded: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    options.signal?.throwIfAborted();
    await readDirectory(walk, next, pending);
    options.onProgress?.({ files: walk.files.length, bytes: walk.bytes });
  }
  const files = walk.files.toSorted(comparePaths);
  refuseCaseCollisions(files);
  return {
    files,
    count: files.length,
    bytes: walk.bytes,
    largest: largestOf(files),
    excluded: walk.excluded.toSorted(comparePaths),
    excludedCount: walk.excludedCount,
    warnings: walk.warnings,
  };
}

async function readDirectory(walk: Walk, directory: Directory, pending: Directory[]): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(path.join(walk.root, directory.path), { withFileTypes: true });
  } catch (error) {
    throw unreadable(directory.path, error);
  }
  const names = new Set(entries.map((entry) => entry.name));
  if (names.has('pyvenv.cfg') && directory.path !== '' && !directory.onlyIncluded) {
    if (!walk.include.names(directory.path, true)) {
      leaveOut(walk, `${directory.path}/`, PYTHON_ENVIRONMENT_REASON);
      if (!walk.include.reachesBelow(directory.path)) return;
      directory.onlyIncluded = true;
    }
  }
  const rules = await rulesOf(walk, directory, names);
  const found: string[] = [];
  for (const entry of entries) {
    const relative = directory.path === '' ? entry.name : `${directory.path}/${entry.name}`;
    // In turns: with many rules, each path takes long.
    await walk.turns.take(() => {
      if (entry.isDirectory()) visitDirectory(walk, { ...directory, path: relative, rules }, pending);
      else if (keepsFile(walk, directory, rules, relative)) found.push(relative);
    });
  }
  await mapLimited(found, STATS_AT_ONCE, walk.options.signal, async (relative) => {
    const described = await describePath(walk.root, relative, walk.turns);
    if (described.kind === 'file') addFile(walk, described.file);
    else if (described.kind === 'skip') {
      if (described.unsafe) leaveOutUnsafe(walk, relative, described.reason);
      else leaveOut(walk, relative, described.reason);
    } else visitDirectory(walk, { ...directory, path: relative, rules }, pending);
  });
  await refuseMoved(walk.root, directory.path);
}

/** Rejects a directory that was replaced by a link while it was read. */
async function refuseMoved(root: string, relative: string): Promise<void> {
  const expected = path.join(root, relative);
  const real = await realpath(expected).catch(() => undefined);
  if (real === expected) return;
  throw new BundleError('file-changed', wording(BUNDLE_TEXTS.replaced, relative), { paths: [relative] });
}

/** `candidate` has the rules, depth and state of its parent directory. */
function visitDirectory(walk: Walk, candidate: Directory, pending: Directory[]): void {
  const relative = candidate.path;
  const reason = exclusionOf(walk, candidate.rules, relative, true);
  const closed = candidate.onlyIncluded && !walk.include.covers(relative, true);
  if (reason !== undefined) leaveOut(walk, `${relative}/`, reason);
  if ((reason !== undefined || closed) && !walk.include.reachesBelow(relative)) return;
  const problem = pathProblem(relative);
  if (problem !== undefined) return leaveOutUnsafe(walk, `${relative}/`, problem);
  const depth = candidate.depth + 1;
  if (depth > walk.limits.depth) {
    throw new BundleError('too-deep', wording(BUNDLE_TEXTS.tooDeep, relative, `${walk.limits.depth}`), {
      paths: [relative],
    });
  }
  pending.push({ ...candidate, depth, onlyIncluded: reason !== undefined || closed });
}

function keepsFile(walk: Walk, directory: Directory, rules: IgnoreRules, relative: string): boolean {
  const reason = exclusionOf(walk, rules, relative, false);
  if (reason === undefined) return !directory.onlyIncluded || walk.include.covers(relative, false);
  leaveOut(walk, relative, reason);
  return false;
}

/** Order of precedence: an explicit include, the default exclusions, any include, the exclude option, ignore files. */
function exclusionOf(
  walk: Walk,
  rules: IgnoreRules,
  relative: string,
  directory: boolean,
): string | undefined {
  const byDefault = defaultExclusion(relative);
  if (byDefault !== undefined && !walk.include.names(relative, directory)) return byDefault;
  if (walk.include.covers(relative, directory)) return undefined;
  if (ignores(walk.exclude, relative, directory)) return 'left out by an exclude pattern';
  if (ignores(rules, relative, directory)) return 'left out by an ignore file';
  return undefined;
}

async function rulesOf(walk: Walk, directory: Directory, names: ReadonlySet<string>): Promise<IgnoreRules> {
  let rules = directory.rules;
  const wanted = walk.options.gitignore === true ? ['.gitignore', '.pressroomignore'] : ['.pressroomignore'];
  for (const name of wanted) {
    if (!names.has(name)) continue;
    const relative = directory.path === '' ? name : `${directory.path}/${name}`;
    // Without one that cannot be followed, files that it excludes would be published.
    const described = await describePath(walk.root, relative);
    if (described.kind !== 'file') throw notFollowed(BUNDLE_TEXTS.ignoreFileElsewhere, relative);
    const { size, source = relative } = described.file;
    if (size > IGNORE_FILE_BYTES) throw notFollowed(BUNDLE_TEXTS.longIgnoreFile, relative);
    const bytes = await readFile(path.join(walk.root, source)).catch((error: unknown) => {
      throw unreadable(relative, error);
    });
    rules = addIgnoreFile(rules, directory.path, textOfBytes(bytes));
  }
  return rules;
}

function notFollowed(text: string, relative: string): BundleError {
  return new BundleError('unreadable', wording(text, relative), { paths: [relative] });
}

function addFile(walk: Walk, file: BundleFile): void {
  const { limits } = walk;
  if (file.source !== undefined && !walk.include.names(file.path, false)) {
    const reason = defaultExclusionAbove(file.source);
    if (reason !== undefined) {
      leaveOut(walk, file.path, `a link to ${file.source}: ${reason}`);
      return;
    }
  }
  if (Buffer.byteLength(file.path) > limits.pathBytes) {
    throw new BundleError('path-too-long', wording(BUNDLE_TEXTS.longPath, file.path, `${limits.pathBytes}`), {
      paths: [file.path],
    });
  }
  walk.files.push(file);
  walk.bytes += file.size;
  if (walk.files.length > limits.files) {
    throw new BundleError('too-many-files', wording(BUNDLE_TEXTS.tooMany, `${limits.files}`));
  }
  if (walk.bytes > limits.bytes) {
    const biggest = largestOf(walk.files).slice(0, 3);
    throw new BundleError(
      'too-large',
      {
        text: BUNDLE_TEXTS.tooLarge,
        values: [`${limits.bytes}`, biggest.map((entry) => `${entry.path} (${entry.size} bytes)`).join(', ')],
      },
      { paths: biggest.map((entry) => entry.path) },
    );
  }
}

function leaveOut(walk: Walk, relative: string, reason: string): void {
  walk.excludedCount += 1;
  if (walk.excluded.length < EXCLUDED_SHOWN) walk.excluded.push({ path: relative, reason });
}

function leaveOutUnsafe(walk: Walk, relative: string, reason: string): void {
  leaveOut(walk, relative, reason);
  warn(walk, `${relative} is excluded: ${reason}.`);
}

function warn(walk: Walk, text: string): void {
  if (walk.warnings.length < WARNINGS_SHOWN) walk.warnings.push(text);
}
