// Detects the programs that content can use: R, Python and others. Each is queried once per run of the server, and
// again if it did not respond.
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { access, constants, readdir, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Description } from './restore/r/r-library.ts';
import { compareVersions } from './restore/versions.ts';
import { TOOLS } from './sandbox/docker/runtime-image.ts';
import { isOfSystem } from './sandbox/mounts.ts';

const run = promisify(execFile);

export interface Installation {
  /** Such as "4.2.2", as reported by the interpreter. */
  readonly version: string;
  /** Path of Rscript, or python3. */
  readonly file: string;
  /** The id of its image, and the image's name in the settings, if content runs in containers. */
  readonly image?: string;
  readonly imageName?: string;
}

/** One of several interpreters of a language. */
export interface Interpreter extends Installation {
  /** Directories it needs beyond the system's, which every process sees. */
  readonly readable: readonly string[];
}

export interface PythonInstallation extends Interpreter {
  /** Whether its pip can install into other environments. */
  readonly hasPip: boolean;
  /** Whether its own packages may be used: the system's, or those of an image. */
  readonly isSystem: boolean;
  /** The packages for running content that it has. */
  readonly tools: readonly string[];
}

export interface RInstallation extends Interpreter {
  /** The R command next to Rscript. */
  readonly program: string;
  /** Such as "x86_64-pc-linux-gnu". */
  readonly platform: string;
  /** The CRAN-like repository configured in R; null for none. */
  readonly repository: string | null;
  /** Site libraries; the first one with a package is used. */
  readonly libraries: readonly string[];
  /** Packages in these libraries, if they are not on this machine. */
  readonly packages?: readonly Description[];
}

export interface Installations {
  /** The default for content without a version; null if there is none. */
  findR(): Promise<RInstallation | null>;
  findPython(): Promise<PythonInstallation | null>;
  /** One per version; that of findR() first. */
  listR(): Promise<readonly RInstallation[]>;
  listPython(): Promise<readonly PythonInstallation[]>;
  /** The image of programs that bring everything they need: the first one; null if they run on this machine. */
  readonly anyImage: string | null;
  /** The system's Node.js and npm. */
  findNode(): Promise<Installation | null>;
  /** @param file from the setting; empty for the usual places; `none` */
  findUv(file: string): Promise<Installation | null>;
  /** @param file from the setting; empty for the usual places */
  findQuarto(file: string): Promise<Interpreter | null>;
  /** @param file from the setting */
  findTensorFlow(file: string): Promise<Installation | null>;
}

export interface InstallationOptions {
  /** Interpreters in the settings; they replace detected ones of the language. */
  readonly r?: readonly string[];
  readonly python?: readonly string[];
  /** Milliseconds for each to respond; 30 seconds by default. */
  readonly timeoutMs?: number;
  /** Called with those that do not run. */
  readonly onBroken?: (file: string) => void;
}

interface Found<T> {
  readonly found: readonly T[];
  /** False if an existing one did not respond. */
  readonly isWhole: boolean;
}

/** A program that runs but does not respond in time. */
class Unanswered extends Error {}

const TIMEOUT_MS = 30_000;
/**
 * Has the packages for running and rendering content: uvicorn, gunicorn, nbconvert. Another python3 may come first on
 * the PATH.
 */
export const SYSTEM_PYTHON = '/usr/bin/python3';
/** First version of pip with `--python`. */
const PIP_SINCE = '22.3';
const ASK_R =
  'cat(as.character(getRversion()), R.version$platform, R.home(), getOption("repos")[[1]], normalizePath(.libPaths()), sep = "\\n")';
const ASK_PYTHON = `import sys
from importlib import metadata
try:
    pip = metadata.version("pip")
except Exception:
    pip = ""
print("%d.%d.%d" % sys.version_info[:3], pip, sys.prefix, sys.base_prefix, sep="\\n")`;
/** The subdirectories of an installation that processes need: others may be unrelated. */
const PARTS = ['bin', 'lib', 'lib64', 'include', 'share'];

export function createInstallations(options: InstallationOptions = {}): Installations {
  const { r = [], python = [], timeoutMs, onBroken = () => undefined } = options;
  const askR = untilAnswered((file: string) => probeR(file, timeoutMs));
  const listR = untilAllAnswer(async () => {
    const files = r.length > 0 ? r.map(scriptBeside) : await usualR();
    return all(files, askR, r.length > 0 ? onBroken : null);
  });
  const askPython = untilAnswered((file: string) => probePython(file, timeoutMs));
  const listPython = untilAllAnswer(async () => {
    const files = python.length > 0 ? python : await usualPython();
    return all(files, askPython, python.length > 0 ? onBroken : null);
  });
  const findNode = untilAnswered(() => probeNode(timeoutMs));
  const findUv = untilAnswered((file: string) => probeUv(file, onBroken, timeoutMs));
  const findQuarto = untilAnswered((file: string) => probeQuarto(file, onBroken, timeoutMs));
  const findTensorFlow = untilAnswered((file: string) => probeTensorFlow(file, timeoutMs));
  return {
    anyImage: null,
    listR,
    listPython,
    findR: async () => (await listR())[0] ?? null,
    findPython: async () => (await listPython())[0] ?? null,
    findNode: () => findNode('').catch(nothing),
    findUv: (file) => findUv(file).catch(nothing),
    findQuarto: (file) => findQuarto(file).catch(nothing),
    findTensorFlow: (file) => findTensorFlow(file).catch(nothing),
  };
}

/** The directories of a configured interpreter, which may be a link. */
export function partsOfInstallation(file: string): string[] {
  const files = existsSync(file) ? [file, realpathSync(file)] : [];
  return files.flatMap((one) => PARTS.map((part) => join(dirname(dirname(one)), part)));
}

/** Runs a probe once, and again if there was no response: a busy machine says nothing about what is installed. */
function untilAnswered<T>(probe: (file: string) => Promise<T>): (file: string) => Promise<T> {
  const responses = new Map<string, Promise<T>>();
  return (file) => {
    const response = responses.get(file) ?? probe(file);
    responses.set(file, response);
    response.catch(() => responses.delete(file));
    return response;
  };
}

/** @throws other errors than a missing response */
function nothing(error: unknown): null {
  if (error instanceof Unanswered) return null;
  throw error;
}

function untilAllAnswer<T>(work: () => Promise<Found<T>>): () => Promise<readonly T[]> {
  let last: Promise<Found<T>> | undefined;
  return async () => {
    const pending = (last ??= work());
    const { found, isWhole } = await pending;
    if (!isWhole && last === pending) last = undefined;
    return found;
  };
}

/** Settings may name R, as in other servers; Rscript is next to it. */
function scriptBeside(file: string): string {
  return file.endsWith('/R') ? join(dirname(file), 'Rscript') : file;
}

/** The first on the server's PATH is the default. */
async function usualR(): Promise<string[]> {
  const first = await findCommand('Rscript');
  const places = ['/usr/bin/Rscript', '/usr/local/bin/Rscript', ...(await below('/opt/R', 'bin/Rscript'))];
  return first === null ? places : [first, ...places];
}

async function usualPython(): Promise<string[]> {
  return [SYSTEM_PYTHON, '/usr/local/bin/python3', ...(await below('/opt/python', 'bin/python3'))];
}

/** Newest first. */
async function below(directory: string, file: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  const numbers = (name: string) => /\d+(\.\d+)*/.exec(name)?.[0] ?? '0';
  return names
    .toSorted((a, b) => compareVersions(numbers(b), numbers(a)))
    .map((name) => join(directory, name, file));
}

/** Working ones, one per version: the first wins. @param onBroken null if a missing one is no error */
async function all<T extends Installation>(
  files: readonly string[],
  probe: (file: string) => Promise<T | null>,
  onBroken: ((file: string) => void) | null,
): Promise<Found<T>> {
  const seen = new Set<string>();
  const distinct: string[] = [];
  for (const file of files) {
    const real = await realpath(file).catch(() => null);
    if (real === null) onBroken?.(file);
    else if (!seen.has(real)) distinct.push(file);
    if (real !== null) seen.add(real);
  }
  const found: T[] = [];
  let isWhole = true;
  const lacking = (error: unknown) => {
    isWhole = false;
    return nothing(error);
  };
  const probed = await Promise.all(distinct.map((file) => probe(file).catch(lacking)));
  for (const [i, one] of probed.entries()) {
    if (one === null) onBroken?.(distinct[i] ?? '');
    else if (!found.some(({ version }) => version === one.version)) found.push(one);
  }
  return { found, isWhole };
}

async function probeR(file: string, timeoutMs?: number): Promise<RInstallation | null> {
  const response = await answerOf(file, ['--no-init-file', '--no-environ', '-e', ASK_R], timeoutMs);
  const [version, platform, home, repos = '', ...libraries] = response.trimEnd().split('\n');
  if (!version || !/^\d+(\.\d+)+$/.test(version) || !platform || !home) return null;
  const repository = /^(https?|file):/.test(repos) ? repos : null;
  const program = join(dirname(file), 'R');
  const readable = outsideSystem([home, dirname(file), ...libraries]);
  return { version, file, program, platform, repository, libraries, readable };
}

async function probePython(file: string, timeoutMs?: number): Promise<PythonInstallation | null> {
  const [version, pip = '', ...prefixes] = (await answerOf(file, ['-I', '-c', ASK_PYTHON], timeoutMs))
    .trimEnd()
    .split('\n');
  if (!version || !/^\d+(\.\d+)+$/.test(version)) return null;
  const parts = prefixes
    .filter((prefix) => prefix !== '')
    .flatMap((at) => PARTS.map((part) => join(at, part)));
  const there = await Promise.all(parts.map(exists));
  const readable = outsideSystem([dirname(file), ...parts.filter((_, i) => there[i])]);
  const hasPip = /^\d+(\.\d+)*$/.test(pip) && compareVersions(pip, PIP_SINCE) >= 0;
  const isSystem = file === SYSTEM_PYTHON;
  // Missing packages of the distribution are not installed silently: npm run doctor reports them.
  return { version, file, hasPip, readable, isSystem, tools: isSystem ? TOOLS : [] };
}

function outsideSystem(paths: readonly string[]): string[] {
  const outside = paths.filter((path) => path.startsWith('/') && !isOfSystem(path));
  return [...new Set(outside)].filter((path) => !outside.some((other) => path.startsWith(`${other}/`)));
}

/** Not the server's own Node.js, which may be in a private directory: content sees the system's programs only. */
async function probeNode(timeoutMs?: number): Promise<Installation | null> {
  for (const directory of ['/usr/local/bin', '/usr/bin']) {
    const file = join(directory, 'node');
    const version = /^v(\d[\d.]*)/.exec(await answerOf(file, ['--version'], timeoutMs))?.[1];
    if (version !== undefined && (await exists(join(directory, 'npm')))) return { version, file };
  }
  return null;
}

async function probeUv(
  setting: string,
  onBroken: (file: string) => void,
  timeoutMs?: number,
): Promise<Installation | null> {
  if (setting === 'none') return null;
  for (const file of setting === '' ? ['/usr/local/bin/uv', '/usr/bin/uv'] : [setting]) {
    const version = /^uv (\d[\w.]*)/.exec(await answerOf(file, ['--version'], timeoutMs))?.[1];
    if (version !== undefined) return { version, file };
  }
  if (setting !== '') onBroken(setting);
  return null;
}

async function probeQuarto(
  setting: string,
  onBroken: (file: string) => void,
  timeoutMs?: number,
): Promise<Interpreter | null> {
  const usual = ['/usr/local/bin/quarto', '/usr/bin/quarto', ...(await below('/opt/quarto', 'bin/quarto'))];
  for (const file of setting === '' ? usual : [setting]) {
    const version = /^(\d+(?:\.\d+)+)/.exec(await answerOf(file, ['--version'], timeoutMs))?.[1];
    if (version === undefined) continue;
    const real = await realpath(file);
    return {
      version,
      file,
      readable: outsideSystem([dirname(file), ...partsOfInstallation(real).filter(existsSync)]),
    };
  }
  if (setting !== '') onBroken(setting);
  return null;
}

async function probeTensorFlow(file: string, timeoutMs?: number): Promise<Installation | null> {
  if (file === '') return null;
  const version = /^TensorFlow ModelServer: (\d[\w.-]*)/m.exec(
    await answerOf(file, ['--version'], timeoutMs),
  )?.[1];
  return version === undefined ? null : { version, file };
}

/** Empty if it does not run. User libraries and settings are ignored. @throws Unanswered */
export async function answerOf(
  file: string,
  args: string[],
  timeoutMs = TIMEOUT_MS,
  mayAskAgain = true,
): Promise<string> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', LANG: 'C.UTF-8' };
  const running = run(file, args, { timeout: timeoutMs, killSignal: 'SIGKILL', env });
  try {
    const { stdout } = await running;
    if (!running.child.killed) return stdout;
  } catch (error) {
    if (!running.child.killed && typeof (error as { signal?: unknown }).signal !== 'string') return '';
  }
  // This server itself was delayed for longer than the timeout: the program may have finished with its output unread.
  if (mayAskAgain) return answerOf(file, args, timeoutMs, false);
  throw new Unanswered(`${file} did not respond`);
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
