// Differences of two archives: facts of their manifests, files added, removed or changed, and changed lines of text
// files.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
// Node before 22.15 has no `diff`, and reports a missing named import before any other message.
import util from 'node:util';
import { type ArchivedFile, readArchive } from '../archive/read-archive.ts';

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Bytes; null if it does not exist. */
  readonly before: number | null;
  readonly after: number | null;
  /** Null if it is not text, or too long to compare. */
  readonly lines: readonly LineChange[] | null;
  /** Number of added and removed lines; null with `lines`. */
  readonly counts: LineCounts | null;
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export interface LineChange {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

/** A fact of the manifest: the kind, a version, a package. */
export interface FactChange {
  readonly what: string;
  /** Null if not given. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ArchiveChanges {
  readonly facts: readonly FactChange[];
  readonly files: readonly FileChange[];
  /** Number of identical files. */
  readonly same: number;
  /** Number of changed files that are not listed. */
  readonly more: number;
}

const MANIFEST = 'manifest.json';
const FILES_LISTED = 500;
/** Maximum files whose lines are compared. */
const FILES_COMPARED = 50;
const LINES_READ = 20_000;
/** Maximum lines between the first and the last difference: time and memory are quadratic. */
const LINES_COMPARED = 1000;
/** Maximum squares of these lines of both sides, of all files together. */
const SQUARES_COMPARED = 5 * (2 * LINES_COMPARED) ** 2;
/** Unchanged lines shown around a change. */
const AROUND = 3;
const MAX_LINE_LENGTH = 500;

/** The files of an archive by path, with manifest.json. */
export type ArchivedFiles = ReadonlyMap<string, ArchivedFile>;

/**
 * The archives are read one after the other, and at most 32 MiB of each kept in memory.
 * @throws errors of reading an archive, or the signal's reason
 */
export async function compareArchives(
  open: (which: 'before' | 'after') => Promise<Readable>,
  options: { readonly signal?: AbortSignal } = {},
): Promise<ArchiveChanges> {
  const [before, after] = await readArchives(open, options);
  return compareFiles(before, after);
}

/** @throws as `compareArchives` */
export async function readArchives(
  open: (which: 'before' | 'after') => Promise<Readable>,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<[before: ArchivedFiles, after: ArchivedFiles]> {
  return [await read(await open('before'), signal), await read(await open('after'), signal)];
}

/** Comparing the lines of one file may take a third of a second. */
export async function compareFiles(before: ArchivedFiles, after: ArchivedFiles): Promise<ArchiveChanges> {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => path !== MANIFEST)
    .toSorted();
  const changed = paths.filter((path) => before.get(path)?.md5 !== after.get(path)?.md5);
  const files: FileChange[] = [];
  const room = { files: FILES_COMPARED, squares: SQUARES_COMPARED };
  for (const path of changed.slice(0, FILES_LISTED)) {
    files.push(changeOf(path, before.get(path), after.get(path), room));
    await setImmediate();
  }
  return {
    facts: compareFacts(factsOf(before), factsOf(after)),
    files,
    same: paths.length - changed.length,
    more: changed.length - files.length,
  };
}

/** What is left to compare. */
interface Room {
  files: number;
  squares: number;
}

async function read(archive: Readable, signal: AbortSignal | undefined) {
  try {
    return await readArchive(archive, { signal, withManifest: true });
  } finally {
    archive.destroy();
  }
}

/** Empty without a readable manifest. */
function factsOf(files: ArchivedFiles): Map<string, string> {
  const facts = new Map<string, string>();
  const add = (what: string, value: unknown) => {
    if (typeof value === 'string' && value !== '') facts.set(what, value.slice(0, MAX_LINE_LENGTH));
  };
  try {
    const { metadata, platform, python, packages } = JSON.parse(
      files.get(MANIFEST)?.bytes?.toString() ?? '{}',
    ) as Record<string, Record<string, unknown> | undefined>;
    add('type', metadata?.['appmode']);
    add('main file', metadata?.['entrypoint'] ?? metadata?.['primary_rmd'] ?? metadata?.['primary_html']);
    add('R', platform);
    add('Python', python?.['version']);
    for (const [name, entry] of Object.entries(packages ?? {}))
      add(`R package ${name}`, (entry as { description?: { Version?: unknown } }).description?.Version);
  } catch {
    // No facts, then.
  }
  return facts;
}

function compareFacts(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FactChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((what) => ({ what, before: before.get(what) ?? null, after: after.get(what) ?? null }))
    .filter((fact) => fact.before !== fact.after);
}

function changeOf(
  path: string,
  before: ArchivedFile | undefined,
  after: ArchivedFile | undefined,
  room: Room,
): FileChange {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const isCompared = (room.files -= 1) >= 0;
  const [old, now] = isCompared ? [linesOf(before), linesOf(after)] : [null, null];
  const lines = old !== null && now !== null ? compareLines(old, now, room) : null;
  const counts = lines && { added: countOf(lines, 'added'), removed: countOf(lines, 'removed') };
  return { path, change, before: before?.size ?? null, after: after?.size ?? null, lines, counts };
}

function countOf(lines: readonly LineChange[], kind: LineChange['kind']): number {
  return lines.filter((line) => line.kind === kind).length;
}

/** Empty for no file; null if it is not compared. */
function linesOf(file: ArchivedFile | undefined): string[] | null {
  if (file === undefined) return [];
  const { bytes } = file;
  if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return null;
  const lines = bytes.toString().replace(/\n$/, '').split(/\r?\n/);
  return lines.length > LINES_READ ? null : lines;
}

/** Null if too much differs. */
function compareLines(before: readonly string[], after: readonly string[], room: Room): LineChange[] | null {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const square = old.length === 0 || now.length === 0 ? 0 : (old.length + now.length) ** 2;
  if (old.length > LINES_COMPARED || now.length > LINES_COMPARED || square > room.squares) return null;
  room.squares -= square;
  const changes =
    square === 0
      ? [...old.map((text) => lineOf('removed', text)), ...now.map((text) => lineOf('added', text))]
      : util.diff(old, now).map(([operation, text]) => lineOf(KINDS[operation] ?? 'same', text));
  const same = (lines: readonly string[]) => lines.map((text) => lineOf('same', text));
  return withoutMostOfTheSame([
    ...same(before.slice(0, start)),
    ...changes,
    ...same(before.slice(before.length - end)),
  ]);
}

function lineOf(kind: LineChange['kind'], text: string): LineChange {
  return { kind, text: text.slice(0, MAX_LINE_LENGTH) };
}

/** In Node's `diff`, 1 marks values that only the first list has. */
const KINDS: Readonly<Record<number, 'added' | 'removed'>> = { 1: 'removed', [-1]: 'added' };

function withoutMostOfTheSame(lines: readonly LineChange[]): LineChange[] {
  const isNear = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(1, Math.max(0, i - AROUND), i + AROUND + 1);
  const shown: LineChange[] = [];
  let skipped = 0;
  const endSkipped = () => {
    if (skipped > 0) shown.push({ kind: 'skipped', text: `${skipped} lines are the same` });
    skipped = 0;
  };
  for (const [i, line] of lines.entries()) {
    if (isNear[i] === 1) {
      endSkipped();
      shown.push(line);
    } else skipped += 1;
  }
  endSkipped();
  return shown;
}
