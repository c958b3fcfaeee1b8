// What two bundles differ in: files that came, went or changed, and the lines of those that are text.
import type { Readable } from 'node:stream';
import { isUtf8 } from 'node:buffer';
import { diff } from 'node:util';
import { errors } from '@pressroom/api/contract';
import { type ArchivedFile, readArchive } from '@pressroom/api/publish';
import pLimit from 'p-limit';

export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** Bytes; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
  /** Null for what is no text, or too long to compare. */
  readonly lines: readonly LineChange[] | null;
}

export interface LineChange {
  readonly kind: 'same' | 'added' | 'removed' | 'skipped';
  readonly text: string;
}

export interface BundleChanges {
  readonly files: readonly FileChange[];
  /** Files that are the same in both. */
  readonly same: number;
  /** Changed files that are not listed. */
  readonly more: number;
}

/** Milliseconds for reading an archive. */
const PATIENCE_MS = 30_000;
const FILES_LISTED = 500;
/** Files whose lines are compared, and the lines of a file that are. */
const FILES_COMPARED = 50;
const LINES_READ = 20_000;
/** Between the first and the last that differ: memory grows with their square. */
const LINES_COMPARED = 1000;
/** Lines that are the same, shown around a change. */
const AROUND = 3;
const LONGEST_LINE = 500;

/** An archive can be large, and comparing lines takes the whole processor. */
const limit = pLimit(1);

/** @throws ApiError 125 for an archive that cannot be read */
export function compareBundles(
  open: (which: 'before' | 'after') => Promise<Readable>,
): Promise<BundleChanges> {
  return limit(async () => {
    const before = await read(await open('before'));
    const after = await read(await open('after'));
    const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
    const changed = paths.filter((path) => before.get(path)?.md5 !== after.get(path)?.md5);
    const listed = changed.slice(0, FILES_LISTED);
    return {
      files: listed.map((path, i) => changeOf(path, before.get(path), after.get(path), i < FILES_COMPARED)),
      same: paths.length - changed.length,
      more: changed.length - listed.length,
    };
  });
}

async function read(archive: Readable): Promise<Map<string, ArchivedFile>> {
  try {
    return await readArchive(archive, { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (cause) {
    throw errors.bundleNotExtracted({ message: 'one of the archives cannot be read', cause });
  } finally {
    archive.destroy();
  }
}

function changeOf(
  path: string,
  before: ArchivedFile | undefined,
  after: ArchivedFile | undefined,
  isCompared: boolean,
): FileChange {
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = isCompared && old !== null && now !== null ? compareLines(old, now) : null;
  return { path, change, before: before?.size ?? null, after: after?.size ?? null, lines };
}

/** Empty for no file; null for what is not compared. */
function linesOf(file: ArchivedFile | undefined): string[] | null {
  if (file === undefined) return [];
  const { bytes } = file;
  if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return null;
  const lines = bytes.toString().replace(/\n$/, '').split(/\r?\n/);
  return lines.length > LINES_READ ? null : lines;
}

/** Null where too much differs. */
function compareLines(before: readonly string[], after: readonly string[]): LineChange[] | null {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (old.length > LINES_COMPARED || now.length > LINES_COMPARED) return null;
  const changes = diff(old, now).map(([operation, text]) => lineOf(KINDS[operation] ?? 'same', text));
  const same = (lines: readonly string[]) => lines.map((text) => lineOf('same', text));
  return withoutMostOfTheSame([
    ...same(before.slice(0, start)),
    ...changes,
    ...same(before.slice(before.length - end)),
  ]);
}

function lineOf(kind: LineChange['kind'], text: string): LineChange {
  return { kind, text: text.slice(0, LONGEST_LINE) };
}

/** As `diff` of Node.js counts: what the first list has, and the second lacks, is 1. */
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
