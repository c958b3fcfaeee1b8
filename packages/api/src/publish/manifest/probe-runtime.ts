// Reads the version of an interpreter on this machine. Nothing else in the bundle code starts a process, but for the commit.
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import { wording } from '../../client/failure-texts.ts';
import { BundleError } from '../collect/bundle-error.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';

const execute = promisify(execFile);
const TIMEOUT = 10_000;

export interface ProbeOptions {
  /** The program to run; python3, or R, from the PATH by default. */
  executable?: string;
  signal?: AbortSignal;
}

/** Version of a Python interpreter, such as 3.11.2. Throws BundleError `probe-failed`; at most ten seconds. */
export async function probePython(options: ProbeOptions = {}): Promise<string> {
  return probe(options.executable ?? 'python3', /^Python (\d+\.\d+\.\d+)/m, options.signal);
}

/** Version of R, such as 4.2.2. Throws BundleError `probe-failed`; at most ten seconds. */
export async function probeR(options: ProbeOptions = {}): Promise<string> {
  return probe(options.executable ?? 'R', /^R version (\d+\.\d+\.\d+)/m, options.signal);
}

const MARK = 'library: ';

/**
 * Directories of installed R packages, those of this account first. R starts in the home directory: no profile of the
 * project runs. Throws BundleError `probe-failed`; at most ten seconds.
 */
export async function probeRLibraries({ executable = 'R', signal }: ProbeOptions = {}): Promise<string[]> {
  const script = `cat(paste0("${MARK}", .libPaths(), "\\n"), sep = "")`;
  const args = ['--no-save', '--no-restore', '-s', '-e', script];
  const { stdout } = await run(executable, args, signal, homedir());
  const lines = stdout.split(/\r?\n/).filter((line) => line.startsWith(MARK));
  return lines.map((line) => line.slice(MARK.length));
}

async function probe(executable: string, pattern: RegExp, signal: AbortSignal | undefined): Promise<string> {
  const { stdout, stderr } = await run(executable, ['--version'], signal);
  const version = pattern.exec(`${stdout}\n${stderr}`)?.[1];
  if (version === undefined) throw failed(executable);
  return version;
}

async function run(
  executable: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
  cwd?: string,
) {
  try {
    return await execute(executable, args, { timeout: TIMEOUT, cwd, signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw failed(executable, error);
  }
}

function failed(executable: string, cause?: unknown): BundleError {
  return new BundleError('probe-failed', wording(BUNDLE_TEXTS.noVersionPrinted, executable), { cause });
}
