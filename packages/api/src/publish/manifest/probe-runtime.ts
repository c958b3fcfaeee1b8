// Reads the version of an interpreter on this machine. Nothing else in the bundle code starts a process.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BundleError } from '../collect/bundle-error.ts';

const execute = promisify(execFile);
const TIMEOUT = 10_000;

export interface ProbeOptions {
  /** The program to ask; /usr/bin/python3 or R from the PATH by default. */
  executable?: string;
  signal?: AbortSignal;
}

/** Version of a Python interpreter, such as 3.11.2. Throws BundleError `probe-failed`; at most ten seconds. */
export async function probePython(options: ProbeOptions = {}): Promise<string> {
  return probe(options.executable ?? '/usr/bin/python3', /^Python (\d+\.\d+\.\d+)/m, options.signal);
}

/** Version of R, such as 4.2.2. Throws BundleError `probe-failed`; at most ten seconds. */
export async function probeR(options: ProbeOptions = {}): Promise<string> {
  return probe(options.executable ?? 'R', /^R version (\d+\.\d+\.\d+)/m, options.signal);
}

async function probe(executable: string, pattern: RegExp, signal: AbortSignal | undefined): Promise<string> {
  let output: string;
  try {
    const { stdout, stderr } = await execute(executable, ['--version'], {
      timeout: TIMEOUT,
      ...(signal === undefined ? {} : { signal }),
    });
    output = `${stdout}\n${stderr}`;
  } catch (error) {
    signal?.throwIfAborted();
    throw failed(executable, error);
  }
  const version = pattern.exec(output)?.[1];
  if (version === undefined) throw failed(executable);
  return version;
}

function failed(executable: string, cause?: unknown): BundleError {
  return new BundleError(
    'probe-failed',
    `${executable} --version printed no version: install it, or set the version yourself.`,
    { cause },
  );
}
