// Finds the cause in R output: scripts, Shiny, Plumber, R Markdown and package installations.
import { wording, type Wording } from '../../client/failure-texts.ts';
import { compact, findLine, type DiagnosisKind, type Finding, type Lines } from './diagnosis.ts';
import { HINT_TEXTS } from './hint-texts.ts';

/** "Error in f(x) : message", "Error: message", "Warning: Error in f: message" (Shiny at run time). */
const ERROR = /^(Warning: )?Error(?: in (.*?))?\s?:(?:\s+(.*))?$/;
/** Errors that only wrap the one before them. */
const PASSES_ON = /\bError sourcing\b|^Error in (sourceUTF8|parseUTF8)\(/;
const QUITTING =
  /Quitting from (?:lines (\d+)-(\d+)(?: \[.*?\])? \((.+?)\)|(?:at )?(.+?):(\d+)-(\d+)(?: \[.*?\])?)/;
/** Plumber prints its own message before the error of the file. */
const PLUMBER_READS = /^Error on line #\d+: '.*?' - (?:Error in .*?: |Error: )?/;
/** Lines after the first of an error that may belong to it. */
const REACH = 8;
const BACKTRACE = 40;

interface RError {
  readonly index: number;
  /** "Error in f(x) : ", as printed; empty if R did not say where. */
  readonly where: string;
  readonly message: string;
}

export function diagnoseR(lines: Lines): Finding | null {
  const errors = lines.flatMap((line, index) => readError(lines, line, index) ?? []);
  const error = fatal(errors, findLine(lines, /^Execution halted/, 0)?.index ?? Infinity);
  const quitting = findLine(lines, QUITTING, 0);
  if (!error) return quitting ? quittingAlone(lines, quitting.index, quitting.match) : null;
  const chunk = chunkAround(lines, error.index);
  const parse = parseError(error.message);
  const outside = missingFile(lines, error) ?? pandocFailure(lines, error);
  const details = [error.message, outside].filter((text) => text !== null).join(' ');
  const place = chunk
    ? { file: chunk.file, at: parse ? Math.min(chunk.from + parse.at - 1, chunk.to) : chunk.from }
    : parse
      ? { file: parse.file, at: parse.at }
      : stackPlace(lines, error.index);
  const prefix = chunk ? `${chunk.heading}: ` : parse ? '' : error.where;
  return compact({ line: prefix + details, index: error.index, ...place, ...classify(details) });
}

/** The error that ended R: the last one before it halted (earlier ones were caught), or the one it wraps. */
function fatal(errors: readonly RError[], halted: number): RError | undefined {
  if (halted === Infinity) return errors[0];
  const before = errors.filter((error) => error.index < halted);
  const own = before.findLastIndex((error) => !PASSES_ON.test(error.where + error.message));
  return before[own >= 0 ? own : before.length - 1];
}

function readError(lines: Lines, line: string, index: number): RError | null {
  const match = ERROR.exec(line) ?? /^<simpleError(?: in (.*?))?: (.*)>$/.exec(line)?.toSpliced(1, 0, '');
  if (!match) return null;
  const call = match[2];
  const rest = match[3] ?? '';
  // R prints a long message on the next line; rlang marks it with "!".
  const next = lines[index + 1] ?? '';
  const message = rest || (/^\s+\S|^! /.test(next) ? next.replace(/^\s*(! )?/, '') : '');
  if (message === '') return null;
  return {
    index,
    where: call === undefined || PLUMBER_READS.test(message) ? 'Error: ' : `Error in ${call} : `,
    message: message.replace(PLUMBER_READS, ''),
  };
}

/** "<text>:3:0: unexpected end of input" or "path/app.R:5:1: unexpected symbol". */
function parseError(message: string): { file: string; at: number } | null {
  const match = /^(.+?):(\d+):\d+: (unexpected|unmatched|invalid)/.exec(message);
  return match ? { file: match[1]!, at: Number(match[2]) } : null;
}

/** knitr names the chunk before its error; from version 1.50 on after it, and after the backtrace. */
function chunkAround(lines: Lines, error: number) {
  for (let index = error; index >= Math.max(0, error - REACH); index--) {
    const match = QUITTING.exec(lines[index]!);
    if (match) return chunkOf(match);
  }
  const after = findLine(lines, QUITTING, error + 1, BACKTRACE);
  return after && chunkOf(after.match);
}

function chunkOf(match: RegExpExecArray) {
  const file = match[3] ?? match[4]!;
  const from = Number(match[1] ?? match[5]);
  const to = Number(match[2] ?? match[6]);
  return { file, from, to, heading: `Quitting from lines ${from}-${to} (${file})` };
}

function quittingAlone(lines: Lines, index: number, match: RegExpExecArray): Finding {
  const { file, from, heading } = chunkOf(match);
  const next = findLine(lines, /\S/, index + 1, 2);
  const line = next ? `${heading}: ${next.match.input.trim()}` : heading;
  return { line, index, file, at: from, kind: 'code' };
}

/** R names the file in a warning before or after the error. */
function missingFile(lines: Lines, { index, message }: RError): string | null {
  if (!message.includes('cannot open the connection')) return null;
  const found = findLine(lines, /^\s+(cannot open .*(?:file|URL) .*)$/, index - 4, 4 + REACH);
  return found && `(${found.match[1]})`;
}

/** Pandoc says what is wrong just before R reports its exit code. */
function pandocFailure(lines: Lines, { index, message }: RError): string | null {
  if (!message.startsWith('pandoc document conversion failed')) return null;
  const previous = lines.slice(Math.max(0, index - REACH), index).findLast((line) => line.trim() !== '');
  return previous === undefined ? null : `(${previous.trim()})`;
}

/** The first file of the content in a Shiny stack trace: "  99: renderPlot [/…/app.R#12]". */
function stackPlace(lines: Lines, index: number): { file?: string; at?: number } {
  const found = findLine(lines, /^\s+\d+: .*\[(.+)#(\d+)\]$/, index + 1, 40);
  return found ? { file: found.match[1]!, at: Number(found.match[2]) } : {};
}

const KINDS: [RegExp, DiagnosisKind, string][] = [
  [/there is no package called [‘'"](.+?)[’'"]/, 'missing-package', HINT_TEXTS.noRPackage],
  [
    /namespace [‘'](.+?)[’'] .* is (?:already loaded|being loaded), but .* is required/,
    'missing-package',
    HINT_TEXTS.newerRPackage,
  ],
  [/cannot open .*?(?:file|URL) [‘'"](.+?)[’'"]/, 'missing-file', HINT_TEXTS.missingFile],
  [
    /path does not exist: [‘'"](.+?)[’'"]|[‘'"](.+?)[’'"] does not exist in current working directory/,
    'missing-file',
    HINT_TEXTS.missingFile,
  ],
  [/\(File (.+) not found in resource path\)/, 'missing-file', HINT_TEXTS.missingFile],
  [
    /^unable to install packages|^trying to use CRAN without setting a mirror/,
    'code',
    HINT_TEXTS.installPackages,
  ],
  [/C stack usage|infinite recursion/, 'code', HINT_TEXTS.recursion],
  [/cannot change working directory/, 'code', HINT_TEXTS.setwd],
  [/did not return a shiny\.appobj object/, 'start', HINT_TEXTS.shinyApp],
  [/'\\[uUx]' used without hex digits|is an unrecognized escape/, 'syntax', HINT_TEXTS.backslash],
  [/Scanner error|Parser error/, 'syntax', HINT_TEXTS.frontMatter],
  [/:1:1: unexpected (?:input|invalid token)|invalid multibyte character/, 'syntax', HINT_TEXTS.rEncoding],
  [/LaTeX failed to compile/, 'code', HINT_TEXTS.latex],
  [/:\d+:\d+: |^unexpected /, 'syntax', HINT_TEXTS.rSyntax],
  [/cannot allocate (?:vector|memory)/, 'memory', HINT_TEXTS.memory],
];

function classify(message: string): { kind: DiagnosisKind; wording?: Wording } {
  for (const [pattern, kind, hint] of KINDS) {
    const match = pattern.exec(message);
    if (match) return { kind, wording: wording(hint, match[1] ?? match[2] ?? '') };
  }
  return { kind: 'code' };
}
