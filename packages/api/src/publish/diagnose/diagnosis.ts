// The diagnosis type, and helpers that its finders share.

export type DiagnosisKind =
  /** The code uses a package or module that is not there. */
  | 'missing-package'
  /** A package that is wanted cannot be had at all, or not in that version. */
  | 'package-unavailable'
  /** A package was found, but does not install. */
  | 'install'
  | 'missing-file'
  | 'syntax'
  /** The code ran and raised an error. */
  | 'code'
  /** There is nothing to start: no application object, no kernel. */
  | 'start'
  | 'memory'
  | 'killed'
  | 'timeout'
  | 'other';

/** Why a deploy, a rendering or a process failed, as its output says it. */
export interface Diagnosis {
  /** The cause in one line: the log's own words, put together where the log spreads them over several lines. */
  readonly line: string;
  /** Where the log says so, from 0. */
  readonly index: number;
  /** File of the content as the log names it; a path of the server is to be matched by its end. */
  readonly file?: string;
  /** Line of that file, from 1. */
  readonly at?: number;
  /** Of a notebook: number of the cell, as executed, from 1. */
  readonly cell?: number;
  readonly kind: DiagnosisKind;
  /** What to do about it. */
  readonly hint?: string;
}

/** A line of the log without what only a terminal shows. */
export type Lines = readonly string[];

/** Colours and other escapes of terminals. */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** Characters of a line that are looked at. */
const LONGEST_LINE = 2000;

/** pip names all versions of a package that lacks the one that is asked for: hundreds. */
const VERSIONS = '(from versions: ';
const VERSIONS_SHOWN = 5;

/** With the newest versions alone, which come last. */
function withFewVersions(line: string): string {
  const start = line.indexOf(VERSIONS) + VERSIONS.length;
  const end = line.indexOf(')', start);
  const all = start < VERSIONS.length || end === -1 ? [] : line.slice(start, end).split(', ');
  if (all.length <= VERSIONS_SHOWN) return line;
  return `${line.slice(0, start)}…, ${all.slice(-VERSIONS_SHOWN).join(', ')}${line.slice(end)}`;
}

export function plainLine(line: string): string {
  const short = withFewVersions(line);
  const plain = short.slice(0, LONGEST_LINE).replace(ESCAPES, '').trimEnd();
  // How this server ends the output of a task that failed.
  return plain.startsWith('Error: ') ? plain.replace(/ \(code \d+\)$/, '') : plain;
}

/** The first line from `start` (at most `count` lines on) that matches. */
export function findLine(
  lines: Lines,
  pattern: RegExp,
  start: number,
  count = Infinity,
): { index: number; match: RegExpExecArray } | null {
  const end = Math.min(lines.length, start + count);
  for (let index = Math.max(0, start); index < end; index++) {
    const match = pattern.exec(lines[index]!);
    if (match) return { index, match };
  }
  return null;
}

/** Removes undefined fields. */
export function compact(diagnosis: { [K in keyof Diagnosis]: Diagnosis[K] | undefined }): Diagnosis {
  return Object.fromEntries(
    Object.entries(diagnosis).filter(([, value]) => value !== undefined),
  ) as unknown as Diagnosis;
}
