// Reads the requirements of a Python bundle with all included files, and decides who may share the result.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { type ApiError, errors, textOfBytes } from '@pressroom/api/contract';
import { errnoOf, messageOf } from '../../../platform/errors.ts';
import { O_PATH } from '../../sandbox/descriptors.ts';
import { isWheelPath, readLine } from './python-line.ts';
import { isLock, linesOfLock } from './python-lock.ts';

/**
 * What the result depends on in addition to the lines: only the server's index (`names`), another index (`index`), or
 * files of the bundle and anything unknown (`bundle`).
 */
export type Reach = 'names' | 'index' | 'bundle';

export interface Requirements {
  /** Relative to the bundle. */
  readonly file: string;
  /** The text of all files, which determines what is installed. */
  readonly text: string;
  readonly reach: Reach;
  /** Lines with a known meaning, for indexes; the first ones keep their line numbers of `file`. */
  readonly lines: readonly string[];
  readonly constraints: readonly string[];
  /** Wheels in the bundle, relative to it. */
  readonly wheels: readonly string[];
  /** All other lines, which only pip can interpret, within the bundle. */
  readonly others: readonly string[];
}

const MAX_BYTES = 2 ** 20;
const MAX_FILES = 32;
const DIRECTORY = O_PATH | constants.O_DIRECTORY;
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Reading {
  readonly file: string;
  readonly kind: 'requirement' | 'constraint';
}

/** Null if the bundle has none. @throws ApiError 38 if they cannot be read, or point outside the bundle. */
export async function readRequirements(source: string, named: string | null): Promise<Requirements | null> {
  const file = normalize(named ?? 'requirements.txt');
  const texts = new Map<string, string>();
  const seen = new Set<string>();
  const waiting: Reading[] = [{ file, kind: 'requirement' }];
  const lists: Record<Reading['kind'], string[]> = { requirement: [], constraint: [] };
  const wheels: string[] = [];
  const others: string[] = [];
  let reach: Reach = 'names';
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const key = `${next.kind} ${next.file}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > MAX_FILES) throw unusable(`they include more than ${MAX_FILES} files`);
    const text = texts.get(next.file) ?? (await readPlain(source, next.file));
    if (text === null) {
      if (next.file === file && named === null) return null;
      throw unusable(`the bundle has no file ${next.file}`);
    }
    texts.set(next.file, text);
    for (const line of next.file === file && isLock(file) ? lockLines(file, text) : logicalLines(text)) {
      const meaning = readLine(line);
      // Keeps the file's line numbers in pip's messages.
      const kept = meaning.kind === 'name' || meaning.kind === 'option' || meaning.kind === 'index';
      lists[next.kind].push(kept ? line : '');
      if (meaning.kind === 'index' && reach === 'names') reach = 'index';
      if (meaning.kind === 'refused') throw unusable(`${next.file} ${meaning.why} (${line.slice(0, 80)})`);
      if (meaning.kind === 'include') {
        if (meaning.file.startsWith('/')) throw unusable(`${meaning.file} is not in the bundle`);
        waiting.push({
          file: join(dirname(next.file), meaning.file),
          kind: meaning.constraint ? 'constraint' : 'requirement',
        });
      }
      if (meaning.kind === 'other') {
        reach = 'bundle';
        if (next.kind === 'requirement' && isWheelPath(line)) wheels.push(normalize(line));
        else others.push(line);
      }
    }
  }
  const text = [...texts].map(([name, content]) => `${name}\n${content}`).join('\n');
  return { file, text, reach, lines: lists.requirement, constraints: lists.constraint, wheels, others };
}

/** @throws ApiError 38 */
function lockLines(file: string, text: string): string[] {
  try {
    return linesOfLock(file, text);
  } catch (cause) {
    throw unusable(`${file} ${messageOf(cause)}`, cause);
  }
}

/** As pip reads them: continuation lines joined, comments removed; consumed lines are left empty. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let begun = '';
  let taken = 0;
  const finish = () => {
    lines.push(begun.replace(/(^|\s)#.*/s, '').trim(), ...Array<string>(Math.max(0, taken - 1)).fill(''));
    begun = '';
    taken = 0;
  };
  for (const line of text.split(/\r\n|\r|\n/)) {
    taken += 1;
    const isComment = /^\s*#/.test(line);
    if (line.endsWith('\\') && !isComment) {
      begun += line.slice(0, -1);
      continue;
    }
    begun += isComment ? ` ${line}` : line;
    finish();
  }
  if (taken > 0) finish();
  return lines;
}

/**
 * Opens a regular file of the bundle, without following links. Each directory is opened relative to its open parent: a
 * process of the content may replace it meanwhile. Null if it does not exist.
 */
export async function openPlain(source: string, file: string) {
  if (file.startsWith('/') || file.split('/').includes('..')) throw unusable(`${file} is not in the bundle`);
  const parts = file.split('/').filter((part) => part !== '' && part !== '.');
  const name = parts.pop() ?? '';
  let handle;
  try {
    let at = await open(source, DIRECTORY);
    for (const part of parts)
      at = await open(below(at, part), DIRECTORY | constants.O_NOFOLLOW).finally(() => at.close());
    handle = await open(below(at, name), PLAIN).finally(() => at.close());
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return null;
    throw unusable(`${file} is no regular file`, cause);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw unusable(`${file} is no regular file`);
}

function below({ fd }: FileHandle, name: string): string {
  return `/proc/self/fd/${fd}/${name}`;
}

async function readPlain(source: string, file: string): Promise<string | null> {
  await using opened = await openPlain(source, file);
  if (opened === null) return null;
  if ((await opened.stat()).size > MAX_BYTES) throw unusable(`${file} has more than ${MAX_BYTES} bytes`);
  const text = textOfBytes(await opened.readFile());
  if (text.includes('\0')) throw unusable(`${file} is not text in UTF-8: save it as UTF-8`);
  return text;
}

function unusable(problem: string, cause?: unknown): ApiError {
  return errors.invalidManifest({ message: `the Python requirements cannot be used: ${problem}`, cause });
}
