// For tests: runs a command line in the test's process, since starting another takes a second.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { VERSION } from '@pressroom/api/client';
import { runCommandLine, type RunOptions } from '../run.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Run extends Pick<RunOptions, 'env' | 'cwd'> {
  readonly input?: string | undefined;
  /** Called with standard output so far; true cancels the command, like Ctrl-C. */
  readonly until?: (stdout: string) => boolean;
  /** Cancels the command, like Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Called with standard error so far. */
  readonly onNote?: (stderr: string) => void;
}

export async function runHere(
  args: readonly string[],
  { env, cwd, input = '', until, signal: cancelled, onNote }: Run,
): Promise<Outcome> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const cancel = new AbortController();
  let printed = '';
  stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
    if (until?.(printed)) cancel.abort();
  });
  let noted = '';
  stderr.on('data', (chunk: Buffer) => onNote?.((noted += chunk.toString())));
  const written = [stdout, stderr].map((stream) => text(stream));
  const signal = cancelled ? AbortSignal.any([cancel.signal, cancelled]) : cancel.signal;
  const code = await runCommandLine({ args, env, cwd, stdin, stdout, stderr, signal, version: VERSION });
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await Promise.all(written);
  return { code, stdout: out, stderr: err };
}
