// The public Python clients from PyPI, unmodified: location, commands, and Python code that uses them.
import { execFile, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/pressroom-clients');
/** Debian's Python, like the server's: another python3 on the PATH may lack pip. */
const PYTHON = '/usr/bin/python3';
const here = (name: string) => join(import.meta.dirname, name);

export interface Clients {
  /** Null if they are installed. */
  readonly whyNot: string | null;
  /** Directory of the virtual environment's programs. */
  readonly bin: string;
}

/** Installs them, unless a test did before; requires PyPI, or pip's configured index. */
export async function findClients(): Promise<Clients> {
  const requirements = here('requirements.txt');
  const key = hash('sha256', await readFile(requirements, 'utf8'), 'hex').slice(0, 16);
  const directory = join(CACHE, key);
  const { stdout } = await run(PYTHON, [here('make-environment.py'), directory, requirements]);
  return { whyNot: stdout || null, bin: join(directory, 'bin') };
}

/** Why pip gets nothing from PyPI, or its configured index; null if it does: tested as in `make-environment.py`. */
export async function pypiProblem(): Promise<string | null> {
  const nowhere = await mkdtemp(join(tmpdir(), 'pypi-'));
  const options = ['--quiet', '--no-deps', '--no-cache-dir', '--retries', '0', '--timeout', '10'];
  try {
    await run(PYTHON, ['-m', 'pip', 'download', ...options, '--dest', nowhere, 'databackend==0.0.3']);
    return null;
  } catch {
    return 'PyPI is not reached';
  } finally {
    await rm(nowhere, { recursive: true });
  }
}

/** The title of a suite that needs them, with the reason if it is skipped. */
export function titled(name: string, { whyNot }: Clients): string {
  return whyNot === null ? name : `${name} (skipped: ${whyNot})`;
}

/** Without the environment of whoever runs the tests: no proxy, server or key for a client to find. */
export const environmentOf = ({ bin }: Clients, home: string) => ({
  PATH: `${bin}:/usr/bin:/bin`,
  HOME: home,
  LANG: 'C.UTF-8',
});

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runCommand(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const [code] = await once(child, 'close');
  return { code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

export interface PythonSession extends AsyncDisposable {
  /**
   * Runs statements; returns the value of the last, if it is an expression, as JSON. Names persist. @throws Python's
   * exception
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  run(source: string): Promise<any>;
}

export function startPython(clients: Clients, home: string): PythonSession {
  const env = environmentOf(clients, home);
  const child = spawn(join(clients.bin, 'python'), [here('python-session.py')], { env });
  const printed: string[] = [];
  child.stderr.on('data', (chunk) => printed.push(String(chunk)));
  const responses = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(source) {
      child.stdin.write(`${JSON.stringify(source)}\n`);
      const { value, done } = await responses.next();
      if (done) throw new Error(`Python ended: ${printed.join('').slice(-2000)}`);
      const response = JSON.parse(value);
      if ('error' in response) throw new Error(response.error);
      return response.value;
    },
    async [Symbol.asyncDispose]() {
      // It may still be working for a test that timed out.
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
