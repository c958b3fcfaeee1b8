// Maps the log of a failed deploy to the place in the publisher's files that must change.
import { diagnose } from './diagnose.ts';
import { plainLine, type Diagnosis, type Lines } from './diagnosis.ts';
import { failedCell, findCell } from './notebook.ts';
import { localPath, type Problem } from './problem.ts';

export interface ProblemSources {
  /** Paths within the directory. */
  files: readonly string[];
  /** The text of a file; undefined if unreadable. */
  read: (file: string) => Promise<string | undefined>;
}

const SCRIPTS = /\.(r|rmd|py)$/i;
const SCRIPTS_READ = 50;
const CHUNK = /^Quitting from lines (\d+)-(\d+) \(.+?\): /;
/** Of a Python error: the problem is shown there. */
const PLACE = / \([^()]+, line \d+\)$/;
const POSITION = /^.+?:\d+:(\d+): /;

/** Undefined if the log has no cause, or none that can be located in a file of the directory. */
export async function findProblem(log: Lines, sources: ProblemSources): Promise<Problem | undefined> {
  const diagnosis = diagnose(log);
  if (diagnosis === null) return undefined;
  const message = diagnosis.line.replace(CHUNK, '').replace(PLACE, '');
  return (
    (await inNotebook(log.map(plainLine), diagnosis, message, sources)) ??
    (await atPlace(diagnosis, message, sources)) ??
    (await atPackage(diagnosis, message, sources))
  );
}

async function inNotebook(
  lines: Lines,
  diagnosis: Diagnosis,
  message: string,
  { files, read }: ProblemSources,
): Promise<Problem | undefined> {
  const failed = failedCell(lines, diagnosis.cell ?? null);
  if (failed === undefined) return undefined;
  for (const file of files.filter((name) => name.endsWith('.ipynb'))) {
    const place = findCell((await read(file)) ?? '', failed);
    if (place === undefined) continue;
    const cell = { index: place.index, line: failed.line };
    return { file, line: place.fileLine, column: null, message, cell };
  }
  return undefined;
}

async function atPlace(
  { file: remote, at, line: cause }: Diagnosis,
  message: string,
  { files, read }: ProblemSources,
): Promise<Problem | undefined> {
  const file = remote === undefined ? undefined : localPath(remote, files);
  if (file === undefined || at === undefined) return undefined;
  const chunk = CHUNK.exec(cause);
  const name = nameIn(message);
  let line = at;
  if (chunk !== null && name !== undefined) {
    // The line with the name is more precise than its chunk.
    const rows = (await read(file))?.split('\n').slice(Number(chunk[1]) - 1, Number(chunk[2])) ?? [];
    const word = new RegExp(`(^|[^\\w.])${escaped(name)}([^\\w.]|$)`);
    const row = rows.findIndex((text) => word.test(text));
    if (row !== -1) line = Number(chunk[1]) + row;
  }
  // R counts the column of an unexpected end as 0, and Python the line of an unknown encoding: no editor has such places.
  const column = Number(POSITION.exec(message)?.[1]) || null;
  return { file, line: Math.max(1, line), column, message, cell: null };
}

/** A missing package: where it is required, else where it is used. */
async function atPackage(
  { kind, line: cause }: Diagnosis,
  message: string,
  { files, read }: ProblemSources,
): Promise<Problem | undefined> {
  if (kind !== 'missing-package' && kind !== 'package-unavailable') return undefined;
  const name =
    /(?:requirement|found for) ([A-Za-z0-9][\w.-]*)/.exec(cause)?.[1] ??
    /\bPackage (\S+)/.exec(cause)?.[1] ??
    nameIn(cause);
  if (name === undefined) return undefined;
  const scripts = files.filter((file) => SCRIPTS.test(file)).slice(0, SCRIPTS_READ);
  for (const file of [...files.filter((path) => path === 'requirements.txt'), ...scripts]) {
    const pattern = file === 'requirements.txt' ? requirement(name) : usesPackage(name);
    const row = ((await read(file)) ?? '').split('\n').findIndex((text) => pattern.test(text));
    if (row !== -1) return { file, line: row + 1, column: null, message, cell: null };
  }
  return undefined;
}

/** The quoted name in a message, such as the missing object. */
function nameIn(message: string): string | undefined {
  return /['"‘“`]([A-Za-z_.][\w.-]*)['"’”`]/.exec(message)?.[1];
}

function requirement(name: string): RegExp {
  const spelled = name
    .split(/[-_.]+/)
    .map(escaped)
    .join('[-_.]+');
  return new RegExp(`^\\s*${spelled}\\s*($|[^\\w.-])`, 'i');
}

function usesPackage(name: string): RegExp {
  const quoted = escaped(name);
  const r = `(library|require|requireNamespace|loadNamespace)\\s*\\(\\s*["']?${quoted}\\b|\\b${quoted}:::?`;
  return new RegExp(`${r}|^\\s*(import|from)\\s+${quoted}\\b`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
}
