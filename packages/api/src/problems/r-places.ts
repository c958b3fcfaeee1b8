// Reads places out of what R and knitr print when they fail.
import { nameIn, type Place } from './problem.ts';

const QUITTING =
  /^Quitting from (?:lines (\d+)(?:-(\d+))?(?: \[[^\]]*\])? \(([^)]+)\)|(.+?):(\d+)(?:-(\d+))?(?: \[[^\]]*\])?)\s*$/;
const SYNTAX =
  /(?:^|\s|:)([^\s:()]+\.[rR](?:md)?):(\d+):(\d+): (unexpected .*|invalid .*|.*unexpected end of input.*)$/;
const FRAME = /(?:^|[\s[(])([^\s[\]()#]+\.[rR](?:md)?)#(\d+)/;
const ERROR = /^\s*Error(?: in .+?)?\s*:\s*(.*)$/;
const ERROR_ABOVE = /^\s*Error in `.*`:?\s*$/;
const NO_PACKAGE = /there is no package called ['"‘“]([\w.]+)['"’”]/;

/** Lines after an error in which its backtrace is looked for. */
const BACKTRACE = 60;

/** The first failure with its place, most exact first; a package that is missing has no place of its own. */
export function rPlaces(lines: readonly string[]): { places: Place[]; missing: string[] } {
  const missing = new Set<string>();
  const places: Place[] = [];
  for (const [index, line] of lines.entries()) {
    const lost = NO_PACKAGE.exec(line)?.[1];
    if (lost !== undefined) missing.add(lost);
    const quitting = QUITTING.exec(line);
    if (quitting !== null) places.push(fromChunk(quitting, messageNear(lines, index)));
    const syntax = SYNTAX.exec(line);
    if (syntax !== null) {
      const [, path = '', row = '', column = '', message = ''] = syntax;
      places.push({ path, line: Number(row), column: Number(column), message });
    }
    if (ERROR.test(line) || ERROR_ABOVE.test(line)) {
      const frame = firstFrame(lines.slice(index, index + BACKTRACE));
      if (frame !== undefined) places.push({ ...frame, message: messageAt(lines, index) });
    }
  }
  return { places, missing: [...missing] };
}

function fromChunk(match: RegExpExecArray, message: string): Place {
  const [, first, last, document, path, from, to] = match;
  const line = Number(first ?? from);
  const name = nameIn(message);
  return {
    path: document ?? path ?? '',
    line,
    lastLine: Number(last ?? to ?? line),
    message,
    ...(name !== undefined && { about: name }),
  };
}

function firstFrame(lines: readonly string[]): { path: string; line: number } | undefined {
  for (const line of lines) {
    const frame = FRAME.exec(line);
    if (frame !== null) return { path: frame[1] ?? '', line: Number(frame[2]) };
  }
  return undefined;
}

/** The error of a chunk stands after the line that names it, or, in older versions, before. */
function messageNear(lines: readonly string[], index: number): string {
  const after = lines.slice(index + 1, index + 8).findIndex(isError);
  if (after !== -1) return messageAt(lines, index + 1 + after);
  for (let at = index - 1; at >= Math.max(0, index - 20); at -= 1) {
    if (isError(lines[at] ?? '')) return messageAt(lines, at);
  }
  return 'The chunk failed.';
}

function isError(line: string): boolean {
  return ERROR.test(line) || ERROR_ABOVE.test(line);
}

/** R breaks long messages: the text follows on lines of its own, which begin with `!` or with spaces. */
function messageAt(lines: readonly string[], index: number): string {
  const own = ERROR.exec(lines[index] ?? '')?.[1]?.trim() ?? '';
  if (own !== '') return own;
  const next = (lines[index + 1] ?? '').replace(/^\s*!?\s*/, '').trim();
  return next === '' ? (lines[index] ?? '').trim() : next;
}
