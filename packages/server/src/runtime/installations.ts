// The R and Python installations that content can use, asked once for each server run.
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Installation {
  /** Such as "4.2.2", as the interpreter itself says it. */
  readonly version: string;
  /** Rscript, or python3. */
  readonly file: string;
}

export interface RInstallation extends Installation {
  /** The R command beside Rscript. */
  readonly program: string;
  /** Such as "x86_64-pc-linux-gnu". */
  readonly platform: string;
  /** The CRAN-like repository that R is set up with; null when it is not. */
  readonly repository: string | null;
  /** Where packages are for every user of the machine; the first that has a package counts. */
  readonly libraries: readonly string[];
}

export interface Installations {
  /** Null when there is none. */
  findR(): Promise<RInstallation | null>;
  findPython(): Promise<Installation | null>;
  /** The system's Node.js, with npm beside it. */
  findNode(): Promise<Installation | null>;
  /** @param file that the setting names */
  findTensorFlow(file: string): Promise<Installation | null>;
}

const TIMEOUT_MS = 30_000;
const PYTHON = '/usr/bin/python3';
const ASK_R =
  'cat(as.character(getRversion()), R.version$platform, getOption("repos")[[1]], normalizePath(.libPaths()), sep = "\\n")';

export function createInstallations(): Installations {
  let r: Promise<RInstallation | null> | undefined;
  let python: Promise<Installation | null> | undefined;
  let node: Promise<Installation | null> | undefined;
  let tensorFlow: Promise<Installation | null> | undefined;
  return {
    findR: () => (r ??= probeR()),
    findPython: () => (python ??= probePython()),
    findNode: () => (node ??= probeNode()),
    findTensorFlow: (file) => (tensorFlow ??= probeTensorFlow(file)),
  };
}

async function probeR(): Promise<RInstallation | null> {
  const file = await findCommand('Rscript');
  if (file === null) return null;
  const answer = await ask(file, ['--no-init-file', '--no-environ', '-e', ASK_R]);
  const [version, platform, repos = '', ...libraries] = answer.split('\n');
  if (!version || !/^\d+(\.\d+)+$/.test(version) || !platform) return null;
  const repository = /^(https?|file):/.test(repos) ? repos : null;
  return { version, file, program: join(dirname(file), 'R'), platform, repository, libraries };
}

/** Always the system's: another python3 may come first on the PATH, without the packages that engines need. */
async function probePython(): Promise<Installation | null> {
  const version = /^Python (\d[\d.]*)/m.exec(await ask(PYTHON, ['--version']))?.[1];
  return version === undefined ? null : { version, file: PYTHON };
}

/** Not that of this server, which may be below a directory of its own: content sees the system's programs only. */
async function probeNode(): Promise<Installation | null> {
  for (const directory of ['/usr/local/bin', '/usr/bin']) {
    const file = join(directory, 'node');
    const version = /^v(\d[\d.]*)/.exec(await ask(file, ['--version']))?.[1];
    if (version !== undefined && (await exists(join(directory, 'npm')))) return { version, file };
  }
  return null;
}

async function probeTensorFlow(file: string): Promise<Installation | null> {
  if (file === '') return null;
  const version = /^TensorFlow ModelServer: (\d[\w.-]*)/m.exec(await ask(file, ['--version']))?.[1];
  return version === undefined ? null : { version, file };
}

/** Empty when it does not run. Libraries and settings of whoever started the server do not count. */
async function ask(file: string, args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' };
  return run(file, args, { timeout: TIMEOUT_MS, env }).then(
    ({ stdout }) => stdout,
    () => '',
  );
}

async function findCommand(name: string): Promise<string | null> {
  for (const directory of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(directory, name);
    if (await exists(file)) return file;
  }
  return null;
}

function exists(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
