// The contents of a backup file (@pressroom/api/backup), and the tar that writes it.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { findTool } from '../../runtime/sandbox/tools.ts';

/** Files of a data directory that are backed up if they exist. */
export const FILES = ['secret.key', 'admin-key', 'admin-password'];

/** tar's exit code after errors; its last line says that it did what it could. */
const FAILED = 2;
const END = /^\S*tar: Exiting with failure status due to previous errors$/;
/** tar's last line after a fatal error: the line before is the reason. */
const GIVEN_UP = /^\S*tar: Error is not recoverable: exiting now$/;
/** tar's only message for a full disk. */
const CUT_SHORT = /: Wrote only \d+ of \d+ bytes$/;

/** The purpose of `key_check`. */
export const KEY_CHECK = 'backup';

/** Accepted exit codes. 1: files changed while they were read, which is normal for applications. */
type Allowed = readonly number[];

interface TarOptions {
  readonly input?: string;
  readonly allowed?: Allowed;
  /** Messages about single members that are ignored, whatever the exit code. */
  readonly forgiven?: RegExp;
  readonly signal?: AbortSignal | undefined;
}

export type Tar = typeof tar;

interface Printed {
  readonly printed: string;
  /** Its other messages. */
  readonly complaints: string;
}

/** @throws what tar printed, for other exit codes; the reason of the signal once tar has exited. */
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
    // An interrupted tar is finished once it has exited.
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
