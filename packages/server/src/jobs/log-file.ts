// The log of a process: timestamped lines in a file that is rotated when full. A new file starts with the number of its
// first line, so that readers miss nothing.
import {
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  type WriteStream,
} from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';

export interface LogEntry {
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: string;
}

export interface LogPart {
  readonly entries: LogEntry[];
  /** Total number of printed lines: the `first` for reading on. */
  readonly last: number;
}

export interface LogFile {
  write(data: string): void;
  close(): Promise<void>;
}

/** Bytes after which a log is rotated; one older part is kept. */
const LOG_BYTES = 2 ** 20;
const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const ASIDE = '.1';
/** Microseconds between attempts to reopen a log after a write error. */
const AGAIN = 1_000_000;

/**
 * Drops lines that arrive faster than the disk can write.
 * @param onWritten called once a line can be read.
 */
export function createLogFile(
  path: string,
  { clock, log, onWritten }: { clock: Clock; log: Logger; onWritten: () => void },
): LogFile {
  let bytes = 0;
  let lines = 0;
  let dropped = 0;
  let tried = -Infinity;
  /** Null until the file can be opened: content starts all the same. */
  let stream: WriteStream | null = null;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    stream = open('w');
  } catch (error) {
    log.error(error, 'log of a process');
  }

  function open(flags: 'w' | 'a') {
    const options = { fd: openSync(path, flags, 0o600), highWaterMark: LOG_BYTES };
    return createWriteStream(path, options).on('error', (error) => log.error(error, 'log of a process'));
  }

  function put(to: WriteStream, data: string): void {
    const line = `${new Date(Math.floor(clock.now() / 1000)).toISOString()} ${data}\n`;
    bytes += Buffer.byteLength(line);
    lines += 1;
    to.write(line, onWritten);
  }

  function turn(full: WriteStream): void {
    bytes = 0;
    try {
      // The file may be missing after a failed attempt.
      if (existsSync(path)) renameSync(path, path + ASIDE);
      const next = open('w');
      stream = next;
      // The new file is read only after the old one: its lines are later.
      next.cork();
      next.write(`#${lines}\n`);
      full.end(() => next.uncork());
    } catch (error) {
      // The directory was deleted, or the disk is full: the process keeps running.
      log.error(error, 'log of a process');
    }
  }

  /** Null if the line is lost. The disk may have space again: continues after the lines written, and counts them. */
  function writable(): WriteStream | null {
    if (stream?.destroyed === false) return stream.writableNeedDrain ? null : stream;
    const now = clock.now();
    // The clock may have been set back.
    if (now >= tried && now - tried < AGAIN) return null;
    tried = now;
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
      const isCut = text !== '' && !text.endsWith('\n');
      const { from, lines: written } = partOf(isCut ? `${text}\n` : text);
      stream = open('a');
      if (isCut) stream.write('\n');
      if (text === '') stream.write(`#${lines}\n`);
      else lines = from + written.length;
      return stream;
    } catch (error) {
      log.error(error, 'log of a process');
      return null;
    }
  }

  return {
    write(data) {
      if (stream?.writableEnded === true) return;
      const to = writable();
      if (to === null) {
        dropped += 1;
        return;
      }
      if (dropped > 0) put(to, `(${dropped} lines were dropped)`);
      dropped = 0;
      put(to, data);
      if (bytes > LOG_BYTES) turn(to);
    },
    close: () => new Promise<void>((resolve) => (stream ? stream.end(() => resolve()) : resolve())),
  };
}

/** The remaining lines from number `first` on; none if the log is gone. */
export async function readLogFile(path: string, first: number): Promise<LogPart> {
  const [older, newer] = await readParts(path);
  const from = older.lines.length > 0 ? older.from : newer.from;
  const lines = [...older.lines, ...newer.lines].slice(Math.max(0, first - from));
  return {
    entries: lines.map((line) => ({
      timestamp: line.slice(0, TIME_LENGTH),
      data: line.slice(TIME_LENGTH + 1),
    })),
    last: newer.lines.length > 0 ? newer.from + newer.lines.length : older.from + older.lines.length,
  };
}

/** The files of a log, each with its name in the store. */
export function partsOf(key: string, path: string): readonly (readonly [name: string, path: string])[] {
  return [
    [`${key}.log`, path],
    [`${key}.log${ASIDE}`, path + ASIDE],
  ];
}

export async function removeLogFile(path: string): Promise<void> {
  for (const part of [path, path + ASIDE]) await rm(part, { force: true });
}

interface Part {
  /** Number of its first line. */
  readonly from: number;
  readonly lines: readonly string[];
}

/** Both parts; read again if the log was rotated in between. */
async function readParts(path: string, tries = 3): Promise<readonly [Part, Part]> {
  const older = await readPart(path + ASIDE);
  const newer = await readPart(path);
  const fit =
    older.lines.length === 0 || newer.lines.length === 0 || newer.from === older.from + older.lines.length;
  return fit || tries === 1 ? [older, newer] : readParts(path, tries - 1);
}

async function readPart(path: string): Promise<Part> {
  return partOf(await readFile(path, 'utf8').catch(() => ''));
}

function partOf(text: string): Part {
  // An incomplete last line is still being written.
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
  const [head = ''] = lines;
  return head.startsWith('#') ? { from: Number(head.slice(1)), lines: lines.slice(1) } : { from: 0, lines };
}
