// For tests: a launcher as in the server, running code under it, rendering documents.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '@pressroom/api/contract';
import { systemIds } from '../platform/clock.ts';
import { createInstallations, SYSTEM_PYTHON } from './installations.ts';
import type { DocumentEngine, Environment, Language, RenderRequest } from './kinds/engine.ts';
import { readableOf } from './kinds/readable-of.ts';
import { createLauncher } from './sandbox/launcher.ts';
import { createLocalStarter } from './sandbox/local-starter.ts';

const run = promisify(execFile);

export const EMPTY_MANIFEST: Manifest = {
  version: 1,
  appmode: 'rmd-static',
  primary_rmd: null,
  primary_html: null,
  entrypoint: null,
  content_category: '',
  has_parameters: false,
  platform: null,
  locale: null,
  packages: null,
  python: null,
  files: null,
};

export type Bench = Awaited<ReturnType<typeof startBench>>;
export const NEVER = new AbortController().signal;
/** Asked once for all benches: R takes a sixth of a second to say what it is. */
const INSTALLED = createInstallations({ python: [SYSTEM_PYTHON] });

/**
 * A launcher as in the server, with a directory that is removed with it.
 * @param grace milliseconds after each signal of a stop.
 * @param owner directory of another bench, to share its caches.
 */
export async function startBench(grace?: number, owner?: string) {
  const own = await mkdtemp(join(owner ?? tmpdir(), 'pressroom-runtime-'));
  const directory = owner ?? own;
  await chmod(own, 0o755);
  const ids = systemIds();
  const starter = await createLocalStarter({
    dataDir: own,
    isAlone: true,
    mode: 'auto',
    runAs: '',
    id: ids.taskId(),
    memory: 0,
    processes: 0,
    disk: 0,
    hidden: [],
    network: false,
    ...(grace !== undefined && { grace }),
  });
  const launcher = createLauncher({ starter, ids, memory: 0, disk: 0 });
  return {
    directory,
    launcher,
    installations: INSTALLED,
    async [Symbol.asyncDispose]() {
      await starter[Symbol.asyncDispose]();
      await rm(own, { recursive: true, force: true });
    },
  };
}

/** Output of code, run as content would be. */
export async function runCode({ launcher }: Bench, environment: Environment, code: string): Promise<string> {
  const lines: string[] = [];
  const { file, env, readable, interpreter = [], language } = environment;
  const args = language === 'R' ? ['--vanilla', '-e', code] : ['-c', code];
  const ending = await launcher.run({
    runAs: null,
    signal: NEVER,
    onLine: (line) => lines.push(line),
    command: (cwd) => ({ file, args, cwd, env, readable: readableOf({ readable, interpreter }) }),
  });
  if (ending.code !== 0) throw new Error([ending.message, ...lines].join('\n'));
  return lines.join('\n');
}

interface RenderOptions extends Partial<
  Pick<RenderRequest, 'signal' | 'print' | 'env' | 'program' | 'values'>
> {
  /** Defaults to the engine's. */
  language?: Language | null;
  /** Instead of what this machine has. */
  environment?: Partial<Environment>;
}

/** Renders a bundle; source and output are directories of the rendering account. */
export async function renderBundle(
  { directory, launcher, installations }: Bench,
  engine: DocumentEngine,
  manifest: Partial<Manifest>,
  files: Readonly<Record<string, string>>,
  options: RenderOptions = {},
): Promise<{ output: string; source: string; lines: string[] }> {
  const work = await mkdtemp(join(directory, 'render-'));
  await chmod(work, 0o755);
  const [source, output] = [join(work, 'source'), join(work, 'output')];
  await mkdir(output);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(source, path)), { recursive: true });
    await writeFile(join(source, path), text);
  }
  for (const path of [source, output]) await launcher.give(path, null);
  const language = options.language === undefined ? engine.language : options.language;
  const found = language === 'R' ? await installations.findR() : await installations.findPython();
  const { version, file } = found!;
  const lines: string[] = [];
  await engine.render({
    launcher,
    runAs: null,
    manifest: { ...EMPTY_MANIFEST, ...manifest },
    source,
    output,
    environment: { language, version, file, env: {}, readable: [], ...options.environment },
    env: options.env ?? {},
    ...(options.program && { program: options.program }),
    ...(options.values !== undefined && { values: options.values }),
    print(line) {
      lines.push(line);
      options.print?.(line);
    },
    signal: options.signal ?? NEVER,
  });
  return { output, source, lines };
}

/** Pids of processes with a word in their command line. */
export async function processesWith(word: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-eo', 'pid,args']);
  return stdout.split('\n').filter((line) => line.includes(word) && !line.includes('ps -eo'));
}
