// Reads the requirements that a Python bundle comes with, with all files that they include.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { ApiError } from '@pressroom/api';

export interface Requirements {
  /** Below the bundle. */
  readonly file: string;
  /** The text of all files, which decides what is installed. */
  readonly text: string;
  /** Whether files of the bundle itself are installed: then nobody else may have the result. */
  readonly local: boolean;
}

const MAX_BYTES = 2 ** 20;
const MAX_FILES = 32;
const INCLUDES = /^\s*(?:-r|-c|--requirement|--constraint)(?:\s+|=)(\S+)/;
/** Stays where it is in the bundle, which content cannot rely on. */
const EDITABLE = /^\s*(?:-e|--editable)\b/;
/** A path, or an address of a file. */
const LOCAL =
  /^\s*(?:\.{0,2}\/|\.\s*$|\.\[|file:)|@\s*(?:file:|\.{0,2}\/)|^\s*[^\s;#]+\.(?:whl|zip|tar\.gz)\b|^\s*(?:-f|--find-links)(?:\s+|=)(?!https?:)/;

/** Null when the bundle has none. @throws ApiError 38 when they cannot be read, or lead out of the bundle. */
export async function readRequirements(source: string, named: string | null): Promise<Requirements | null> {
  const file = normalize(named ?? 'requirements.txt');
  const texts = new Map<string, string>();
  const waiting = [file];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (texts.has(next)) continue;
    if (texts.size >= MAX_FILES) throw unusable(`they include more than ${MAX_FILES} files`);
    const text = await readPlain(source, next);
    if (text === null) {
      if (next === file && named === null) return null;
      throw unusable(`the bundle has no file ${next}`);
    }
    texts.set(next, text);
    for (const line of text.split('\n')) {
      if (EDITABLE.test(line))
        throw unusable(`${next} has an editable package (${line.trim().slice(0, 80)})`);
      const included = INCLUDES.exec(line)?.[1];
      if (included === undefined || /^https?:/.test(included)) continue;
      if (included.startsWith('/') || included.includes('$'))
        throw unusable(`${included} is not in the bundle`);
      waiting.push(join(dirname(next), included));
    }
  }
  const text = [...texts].map(([name, content]) => `${name}\n${content}`).join('\n');
  const local = text.split('\n').some((line) => LOCAL.test(line));
  return { file, text, local };
}

/** A regular file of the bundle: no link on the way may lead out of it. */
async function readPlain(source: string, file: string): Promise<string | null> {
  if (file.startsWith('/') || file.split('/').includes('..')) throw unusable(`${file} is not in the bundle`);
  let handle;
  try {
    const path = await realpath(dirname(join(source, file)));
    const top = await realpath(source);
    if (path !== top && !path.startsWith(`${top}/`)) throw unusable(`${file} is not in the bundle`);
    handle = await open(join(source, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(`${file} is no regular file`, cause);
  }
  await using opened = handle;
  const stat = await opened.stat();
  if (!stat.isFile()) throw unusable(`${file} is no regular file`);
  if (stat.size > MAX_BYTES) throw unusable(`${file} has more than ${MAX_BYTES} bytes`);
  return opened.readFile('utf8');
}

function unusable(problem: string, cause?: unknown): ApiError {
  return new ApiError(38, { message: `the Python requirements cannot be used: ${problem}`, cause });
}
