// What the server puts into the file of a backup (@pressroom/api/backup), and the tar that does it.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { findTool } from '../../runtime/sandbox/tools.ts';

/** Files at the top of a data directory that are backed up where they are there. */
export const FILES = ['secret.key', 'admin-key', 'admin-password'];

/** What tar ends with, and says in the end, when it did all that it could. */
const FAILED = 2;
const END = /^\S*tar: Exiting with failure status due to previous errors$/;
/** The same where it gave up: what it says before that is why. */
const GIVEN_UP = /^\S*tar: Error is not recoverable: exiting now$/;
/** All that it says of a full disk. */
const CUT_SHORT = /: Wrote only \d+ of \d+ bytes$/;

/** What `key_check` is made for. */
export const KEY_CHECK = 'backup';

/** What tar may end with. 1: files changed while they were read, as those of applications do. */
type Allowed = readonly number[];

interface TarOptions {
  readonly input?: string;
  readonly allowed?: Allowed;
  /** Complaints about single members that do not matter, whatever it ends with. */
  readonly forgiven?: RegExp;
  readonly signal?: AbortSignal | undefined;
}

export type Tar = typeof tar;

interface Printed {
  readonly printed: string;
  /** What it said beside that. */
  readonly complaints: string;
}

/** @throws what tar printed, when it ends otherwise; the reason of the signal once it has ended. */
export async function tar(
  args: readonly string[],
  { input = '', allowed = [0], forgiven, signal }: TarOptions = {},
): Promise<Printed> {
  const program = findTool('tar');
  if (program === null) throw new Error('tar is missing: apt-get install tar');
  signal?.throwIfAborted();
  const child = spawn(program, args, { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' }, signal });
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<number | null>((resolve, reject) => {
    // What is interrupted is over when it writes no more.
    child.on('error', (error) => signal?.aborted !== true && reject(error)).on('close', resolve);
  });
  const [printed, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  signal?.throwIfAborted();
  if (code !== null && allowed.includes(code)) return { printed, complaints };
  const lines = complaints.split('\n').filter((line) => line !== '' && !END.test(line));
  const isForgiven = forgiven !== undefined && lines.every((line) => forgiven.test(line));
  if (code !== FAILED || lines.length === 0 || !isForgiven)
    throw new Error(`tar ended with ${code}: ${reasonIn(lines)}`);
  return { printed, complaints };
}

function reasonIn(lines: readonly string[]): string {
  const reason = lines.findLast((line) => !GIVEN_UP.test(line)) ?? '';
  return CUT_SHORT.test(reason) ? `${reason}: is the disk full?` : reason;
}
