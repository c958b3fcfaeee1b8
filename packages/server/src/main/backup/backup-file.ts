// The contents of a backup file (@pressroom/api/backup), and the tar that writes it.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { findTool } from '../../runtime/sandbox/tools.ts';

/** Files of a data directory that are backed up if they exist. */
export const FILES = ['admin-key', 'admin-password'];
/** Backed up unless the key is in a setting. */
export const KEY_FILE = 'secret.key';

/** tar's exit code after errors; its last line says that it did what it could. */
const FAILED = 2;
const END = /^\S*tar: Exiting with failure status due to previous errors$/;
/** tar's last line after a fatal error: the line before is the reason. */
const GIVEN_UP = /^\S*tar: Error is not recoverable: exiting now$/;
/** tar's only message for a full disk. */
const CUT_SHORT = /: Wrote only \d+ of \d+ bytes$/;

/** The purpose of `key_check`. */
export const KEY_CHECK = 'backup';

/** Complaints kept: content decides how many there are, and the last ones matter. */
const MAX_COMPLAINTS = 100;

/** Accepted exit codes. 1: files changed while they were read, which is normal for applications. */
type Allowed = readonly number[];

interface TarOptions {
  readonly input?: string;
  readonly allowed?: Allowed;
  /** Messages about single members that are ignored, whatever the exit code. */
  readonly forgiven?: RegExp;
  /** Receives the output: names of content's files may be more than fits in a string. */
  readonly onLine?: (line: string) => void;
  /** Characters of output; none by default. @throws for more */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export type Tar = typeof tar;

interface Printed {
  /** Empty with `onLine`. */
  readonly printed: string;
  /** The last of its other messages. */
  readonly complaints: readonly string[];
}

/** @throws what tar printed, for other exit codes; the reason of the signal once tar has exited. */
export async function tar(
  args: readonly string[],
  { input = '', allowed = [0], forgiven, onLine, limit = Infinity, signal }: TarOptions = {},
): Promise<Printed> {
  const program = findTool('tar');
  if (program === null) throw new Error('tar is missing: apt-get install tar');
  signal?.throwIfAborted();
  const child = spawn(program, args, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }, signal });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    // An interrupted tar is finished once it has exited.
    child.on('error', (error) => signal?.aborted !== true && reject(error)).on('close', resolve);
  });
  const printed: string[] = [];
  const complaints: string[] = [];
  let isForgiven = forgiven !== undefined;
  const complain = (line: string) => {
    if (line === '' || END.test(line)) return;
    isForgiven &&= forgiven?.test(line) === true;
    complaints.push(line);
    if (complaints.length > MAX_COMPLAINTS) complaints.shift();
  };
  const [code] = await Promise.all([
    ended,
    readLines(child.stdout, onLine ?? ((line) => printed.push(line)), limit),
    readLines(child.stderr, complain),
  ]);
  signal?.throwIfAborted();
  const isAllowed = code !== null && allowed.includes(code);
  if (!isAllowed && (code !== FAILED || complaints.length === 0 || !isForgiven))
    throw new Error(`tar ended with ${code}: ${reasonIn(complaints)}`);
  return { printed: printed.join('\n'), complaints };
}

async function readLines(stream: Readable, onLine: (line: string) => void, limit = Infinity): Promise<void> {
  let rest = '';
  let read = 0;
  for await (const chunk of stream.setEncoding('utf8')) {
    read += String(chunk).length;
    if (read > limit) throw new Error(`tar printed more than ${limit} characters`);
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
  if (rest !== '') onLine(rest);
}

function reasonIn(lines: readonly string[]): string {
  const reason = lines.findLast((line) => !GIVEN_UP.test(line)) ?? '';
  return CUT_SHORT.test(reason) ? `${reason}: is the disk full?` : reason;
}
