// From the lines of a failed deploy to places in the publisher's own files.
import { findCell } from './notebook.ts';
import { localPath, type Place, type Problem } from './problem.ts';
import { failedCell, missingRequirements, pythonPlaces } from './python-places.ts';
import { rPlaces } from './r-places.ts';

export interface ProblemSources {
  /** Paths within the directory. */
  files: readonly string[];
  /** The text of one of them; undefined when it cannot be read. */
  read: (file: string) => Promise<string | undefined>;
}

const MOST = 20;
const SCRIPTS = /\.(r|rmd|py)$/i;
const SCRIPTS_READ = 50;

/** The problems that can be placed, each line once; an empty list when the log names no file of the directory. */
export async function findProblems(log: readonly string[], sources: ProblemSources): Promise<Problem[]> {
  const lines = log.map(plain);
  const { places, missing } = rPlaces(lines);
  const found: Problem[] = [];
  for (const place of [...places, ...innermost(pythonPlaces(lines), sources.files)]) {
    const problem = await locate(place, sources);
    if (problem !== undefined) found.push(problem);
  }
  found.push(...(await cellProblem(lines, sources)));
  for (const { name, message } of missingRequirements(lines)) {
    found.push(...(await lineThat(sources, ['requirements.txt'], requirement(name), message)));
  }
  if (found.length === 0) {
    const scripts = sources.files.filter((file) => SCRIPTS.test(file)).slice(0, SCRIPTS_READ);
    for (const name of missing) {
      found.push(
        ...(await lineThat(sources, scripts, usesPackage(name), `The server has no R package ${name}.`)),
      );
    }
  }
  const unique = new Map(found.map((problem) => [`${problem.file}:${problem.line}`, problem] as const));
  return [...unique.values()].slice(0, MOST);
}

/** Of each message, the innermost frame that is the publisher's own. */
function innermost(places: readonly Place[], files: readonly string[]): Place[] {
  const own = places.filter((place) => localPath(place.path, files) !== undefined);
  return own.filter((place, index) => own.findIndex((other) => other.message === place.message) === index);
}

async function locate(place: Place, { files, read }: ProblemSources): Promise<Problem | undefined> {
  const file = localPath(place.path, files);
  if (file === undefined) return undefined;
  const { message, column = null, about, lastLine = place.line } = place;
  let { line } = place;
  if (about !== undefined && lastLine > line) {
    const rows = (await read(file))?.split('\n').slice(line - 1, lastLine) ?? [];
    const word = new RegExp(`(^|[^\\w.])${escaped(about)}([^\\w.]|$)`);
    const at = rows.findIndex((row) => word.test(row));
    if (at !== -1) line += at;
  }
  return { file, line, column, message, cell: null };
}

async function cellProblem(lines: readonly string[], { files, read }: ProblemSources): Promise<Problem[]> {
  const failed = failedCell(lines);
  if (failed === undefined) return [];
  for (const file of files.filter((name) => name.endsWith('.ipynb'))) {
    const place = findCell((await read(file)) ?? '', failed.source, failed.line);
    if (place === undefined) continue;
    const cell = { index: place.index, line: failed.line };
    return [{ file, line: place.fileLine, column: null, message: failed.message, cell }];
  }
  return [];
}

/** The first line of the first of these files that matches. */
async function lineThat(
  { files, read }: ProblemSources,
  candidates: readonly string[],
  pattern: RegExp,
  message: string,
): Promise<Problem[]> {
  for (const file of candidates.filter((name) => files.includes(name))) {
    const at = ((await read(file)) ?? '').split('\n').findIndex((row) => pattern.test(row));
    if (at !== -1) return [{ file, line: at + 1, column: null, message, cell: null }];
  }
  return [];
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
  return new RegExp(
    `(library|require|requireNamespace|loadNamespace)\\s*\\(\\s*["']?${quoted}\\b|\\b${quoted}:::?`,
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
}

/** Without the colours that notebooks print. */
function plain(line: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences begin with a control character
  return line.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').replace(/\r$/, '');
}
