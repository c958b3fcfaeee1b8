// The diagnosis type, and helpers shared by its finders.
import type { Wording } from '../../client/failure-texts.ts';

export type DiagnosisKind =
  /** The code uses a missing package or module. */
  | 'missing-package'
  /** A required package is unavailable, or not in that version. */
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

/** Why a deploy, a rendering or a process failed, according to its output. */
export interface Diagnosis {
  /** The cause in one line: the log's own words, joined if the log spreads them over several lines. */
  readonly line: string;
  /** Index of the line in the log, from 0. */
  readonly index: number;
  /** File of the content as named in the log; match a server path by its end. */
  readonly file?: string;
  /** Line of that file, from 1. */
  readonly at?: number;
  /** For a notebook: number of the executed cell, from 1. */
  readonly cell?: number;
  readonly kind: DiagnosisKind;
  /** A remedy. */
  readonly hint?: string;
  /** The same as a text with its values, for translation. */
  readonly wording?: Wording;
}

/** Before its hint is written out. */
export type Finding = Omit<Diagnosis, 'hint'>;

/** Log lines without terminal escapes. */
export type Lines = readonly string[];

/** Colours and other escapes of terminals. */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/g;
/** Maximum characters of a line that are examined. */
const MAX_LINE_LENGTH = 2000;

/** pip lists all versions of a package that lacks the requested one: hundreds. */
const VERSIONS = '(from versions: ';
const VERSIONS_SHOWN = 5;

/** Keeps only the newest versions, which come last. */
function withFewVersions(line: string): string {
  const start = line.indexOf(VERSIONS) + VERSIONS.length;
  const end = line.indexOf(')', start);
  const all = start < VERSIONS.length || end === -1 ? [] : line.slice(start, end).split(', ');
  if (all.length <= VERSIONS_SHOWN) return line;
  return `${line.slice(0, start)}…, ${all.slice(-VERSIONS_SHOWN).join(', ')}${line.slice(end)}`;
}

export function plainLine(line: string): string {
  const short = withFewVersions(line);
  const plain = short.slice(0, MAX_LINE_LENGTH).replace(ESCAPES, '').trimEnd();
  // The last line of a failed task on this server.
  return plain.startsWith('Error: ') ? plain.replace(/ \(code \d+\)$/, '') : plain;
}

/** The first matching line from `start` (within `count` lines). */
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
export function compact(finding: { [K in keyof Finding]: Finding[K] | undefined }): Finding {
  return Object.fromEntries(
    Object.entries(finding).filter(([, value]) => value !== undefined),
  ) as unknown as Finding;
}
