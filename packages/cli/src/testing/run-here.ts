// For tests: one command line in the process of the test, as starting another takes a second.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { VERSION } from '@pressroom/api/client';
import { runCommandLine, type RunOptions } from '../run.ts';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runHere(
  args: readonly string[],
  { env, cwd, input = '' }: Pick<RunOptions, 'env' | 'cwd'> & { readonly input?: string | undefined },
): Promise<Outcome> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const written = [stdout, stderr].map((stream) => text(stream));
  const { signal } = new AbortController();
  const code = await runCommandLine({ args, env, cwd, stdin, stdout, stderr, signal, version: VERSION });
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await Promise.all(written);
  return { code, stdout: out, stderr: err };
}
