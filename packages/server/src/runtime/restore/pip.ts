// Runs venv and pip, confined: they can write nothing but the environment that is made.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError, diagnose } from '@pressroom/api';
import type { Installation } from '../installations.ts';
import type { Command } from '../processes/confine.ts';
import type { Launcher } from '../processes/launcher.ts';
import type { Requirements } from './python-requirements.ts';
import type { Wanting } from './share.ts';

export interface PipOptions {
  readonly launcher: Launcher;
  readonly python: Installation;
  readonly index: string;
  readonly findLinks: string;
}

/** Beside this file, and beside the bundle that the build makes. */
const SATISFIED = join(import.meta.dirname, 'satisfied.py');
const NOT_SATISFIED = 3;
/** Lines of a failed installation in which the cause is looked for. */
const MAX_LINES = 500;
/** What pip prints before it says that there is no such package, when it has seen no index at all. */
const GAVE_UP = /^WARNING: Retrying \(Retry\(total=0,.* after connection broken by/;
const UNREACHABLE = 'the package index cannot be reached; an administrator can set Python.Index';
const QUIET = ['--disable-pip-version-check', '--no-input', '--no-cache-dir', '--progress-bar=off'];
/** Packages in the bundle itself are built in place: in a copy, which the process owns. */
const IN_COPY = 'cp -r . "$TMPDIR/source" && cd "$TMPDIR/source" && exec "$@"';

export function createPip({ launcher, python, index, findLinks }: PipOptions) {
  const local = [index, findLinks].flatMap((address) => localPath(address) ?? []);
  const from = findLinks === '' ? [] : [`--find-links=${findLinks}`];
  // Of pip's own variables and files none counts, once the server's settings say where packages come from.
  const env: Record<string, string> = {};
  if (index !== '' || findLinks !== '') env.PIP_CONFIG_FILE = '/dev/null';
  if (index !== '') env.PIP_INDEX_URL = index;
  else if (findLinks !== '') env.PIP_NO_INDEX = '1';

  /** Whether it ended well. @throws ApiError 1 when it did not, and that is not foreseen. */
  async function run(command: Command, { print, signal }: Wanting, foreseen?: number): Promise<boolean> {
    const lines: string[] = [];
    const onLine = (line: string) => {
      print(line);
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
    };
    const ending = await launcher.run({ runAs: null, signal, onLine, command: () => command });
    if (ending.code === 0) return true;
    if (ending.code !== null && ending.code === foreseen) return false;
    const own = ending.outOfMemory ? undefined : diagnose(lines)?.line.replace(/^ERROR: /, '');
    const cause = lines.some((line) => GAVE_UP.test(line)) ? UNREACHABLE : (own ?? `pip ${ending.says}`);
    throw new ApiError(1, { message: `the Python packages do not install: ${cause}` });
  }

  return {
    /** Whether the packages of the system are all that is asked for. */
    hasSystem: (source: string, { file, local: own }: Requirements, wanting: Wanting) =>
      own
        ? Promise.resolve(false)
        : run(
            {
              file: python.file,
              args: [SATISFIED, file],
              cwd: source,
              readable: [source, SATISFIED],
            },
            wanting,
            NOT_SATISFIED,
          ),
    createEnvironment: (venv: string, wanting: Wanting) =>
      run(
        {
          file: python.file,
          args: ['-m', 'venv', '--without-pip', '--system-site-packages', venv],
          cwd: venv,
          writable: [venv],
        },
        wanting,
      ),
    /** @throws ApiError 1 with pip's own words */
    install(venv: string, source: string, requirements: Requirements, wanting: Wanting): Promise<boolean> {
      wanting.print(`Installing the packages of ${requirements.file} ...`);
      const pip = ['-m', 'pip', '--python', join(venv, 'bin/python'), 'install', ...QUIET, ...from];
      const args = [...pip, '-r', requirements.file];
      const command = requirements.local
        ? { file: '/bin/sh', args: ['-c', IN_COPY, 'sh', python.file, ...args] }
        : { file: python.file, args };
      return run(
        { ...command, cwd: source, env, readable: [source, ...local], writable: [venv], network: true },
        wanting,
      );
    },
  };
}

/** The directory that an address names; null when it is on another machine. */
function localPath(address: string): string | null {
  if (address.startsWith('file://')) return fileURLToPath(address);
  return address === '' || /^\w+:\/\//.test(address) ? null : resolve(address);
}
