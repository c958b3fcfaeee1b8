// Reads the requirements that a Python bundle comes with, with all files that they include: who may share what they ask.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { ApiError, errors, textOfBytes } from '@pressroom/api/contract';
import { errnoOf, messageOf } from '../../platform/errors.ts';
import { isLock, linesOfLock } from './python-lock.ts';
import { isWheelPath, readLine } from './python-line.ts';

/**
 * What the result depends on beside the lines themselves: nothing but the server's own index (`names`), another index
 * that they name (`index`), or files of the bundle and whatever else we do not know for sure (`bundle`).
 */
export type Reach = 'names' | 'index' | 'bundle';

export interface Requirements {
  /** Below the bundle. */
  readonly file: string;
  /** The text of all files, which decides what is installed. */
  readonly text: string;
  readonly reach: Reach;
  /** What is asked of indexes, by lines that we know the meaning of; the first ones have the places they have in `file`. */
  readonly lines: readonly string[];
  readonly constraints: readonly string[];
  /** Wheels of the bundle, below it. */
  readonly wheels: readonly string[];
  /** All other lines, that only pip can read, and only where the bundle is. */
  readonly others: readonly string[];
}

const MAX_BYTES = 2 ** 20;
const MAX_FILES = 32;

interface Reading {
  readonly file: string;
  readonly kind: 'requirement' | 'constraint';
}

/** Null when the bundle has none. @throws ApiError 38 when they cannot be read, or lead out of the bundle. */
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
      // Line numbers in what pip says stay those of the file.
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

/** As pip reads them: joined where they go on, without comments; what a line took of the next ones is left empty. */
function logicalLines(text: string): string[] {
  const lines: string[] = [];
  let begun = '';
  let taken = 0;
  const finish = () => {
    lines.push(begun.replace(/(^|\s)#.*$/, '').trim(), ...Array<string>(Math.max(0, taken - 1)).fill(''));
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

/** A regular file of the bundle, to be closed: no link on the way may lead out of it. Null when it is not there. */
export async function openPlain(source: string, file: string) {
  if (file.startsWith('/') || file.split('/').includes('..')) throw unusable(`${file} is not in the bundle`);
  let handle;
  try {
    const path = await realpath(dirname(join(source, file)));
    const top = await realpath(source);
    if (path !== top && !path.startsWith(`${top}/`)) throw unusable(`${file} is not in the bundle`);
    handle = await open(join(source, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (errnoOf(cause) === 'ENOENT') return null;
    throw unusable(`${file} is no regular file`, cause);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw unusable(`${file} is no regular file`);
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
