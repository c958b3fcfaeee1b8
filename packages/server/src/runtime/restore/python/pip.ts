// Runs venv and pip, or uv, confined: they can write only the new environment.
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@pressroom/api/contract';
import { diagnose } from '@pressroom/api/publish';
import { SYSTEM_PYTHON, type Installation, type PythonInstallation } from '../../installations.ts';
import type { Command } from '../../sandbox/command.ts';
import type { Launcher } from '../../sandbox/launcher.ts';
import { isOfSystem } from '../../sandbox/mounts.ts';
import type { PackageSource } from '../package-source.ts';
import type { Waiter } from '../share.ts';
import type { InstalledBy, Workspace } from '../workspace.ts';
import { failedPackage, withPackage } from './failed-package.ts';
import type { IndexGateway } from './index-gateway.ts';
import { failed, requireNoNetwork, sourceOnly, unreachable, uvFailed } from './install-failures.ts';
import { openPlain, type Requirements } from './python-requirements.ts';
import { createShownIndexes } from './shown-indexes.ts';
import { pipConfiguration, uvArguments, uvCanInstall, uvEnvironment } from './uv.ts';

export interface PipOptions {
  readonly launcher: Launcher;
  readonly workspace: Workspace;
  readonly by: InstalledBy;
  readonly python: PythonInstallation;
  /** Used instead of pip, where possible. */
  readonly uv: Installation | null;
  readonly indexes: readonly PackageSource[];
  readonly findLinks: readonly string[];
  /** Whether pip's configured index is used, too. */
  readonly withDefault: boolean;
  readonly gateway: IndexGateway;
  /** Whether content may use the network: then so may the code of packages during builds. */
  readonly network: boolean;
}

/** Next to this file, and next to the built bundle. */
const SATISFIED = join(import.meta.dirname, 'satisfied.py');
/** Lines of a failed installation searched for the cause. */
const MAX_LINES = 500;
/** pip's message that no index was reachable, before it reports a missing package. */
const GAVE_UP = /^WARNING: Retrying \(Retry\(total=0,.* after connection broken by/;
const QUIET = ['--disable-pip-version-check', '--no-input', '--no-cache-dir', '--progress-bar=off'];
/** Otherwise pip spends half of its time on dependencies of system packages, which the distribution takes care of. */
const SYSTEM_UNREAD = '--no-warn-conflicts';
/** Packages in the bundle are built in place: in a copy that the process owns. */
const IN_COPY = 'cp -r . "$TMPDIR/source" && cd "$TMPDIR/source" && exec "$@"';
/** pip's debug message about packages skipped by `--only-binary`. */
const SOURCE_ONLY = /No sources permitted for ([\w.-]+)/;

export function createPip(options: PipOptions) {
  const { launcher, workspace, by, python, uv, indexes, findLinks, gateway, network, withDefault } = options;
  const local = [...indexes.map(({ address }) => address), ...findLinks].flatMap(
    (address) => localPath(address) ?? [],
  );
  /** Another Python's pip may be too old for a newer Python, so its own comes first. */
  const pipOf = python.hasPip || python.image !== undefined ? python.file : SYSTEM_PYTHON;
  const from = findLinks.map((link) => `--find-links=${link}`);
  const isSet = indexes.length > 0 || findLinks.length > 0;
  const shown = createShownIndexes(indexes, gateway);

  /** pip's own variables and files are ignored once the server's settings define repositories. */
  function pipEnvironment(all: readonly string[]): Record<string, string> {
    if (withDefault) return { PIP_EXTRA_INDEX_URL: all.join(' ') };
    const [index, ...extra] = all;
    return {
      ...(isSet && { PIP_CONFIG_FILE: '/dev/null' }),
      ...(index !== undefined && { PIP_INDEX_URL: index }),
      ...(extra.length > 0 && { PIP_EXTRA_INDEX_URL: extra.join(' ') }),
      ...(index === undefined && isSet && { PIP_NO_INDEX: '1' }),
    };
  }

  /** Returns its output. @throws ApiError 1 if it fails. */
  async function run(command: Command, { print, signal }: Waiter): Promise<readonly string[]> {
    const lines: string[] = [];
    const onLine = (printed: string) => {
      const line = shown.plain(printed);
      // Paths of the server are of no use in the output.
      if (!line.startsWith('Using Python ')) print(line);
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
    };
    const readable = [...(command.readable ?? []), ...python.readable];
    const { image } = python;
    const ending = await launcher.run({
      ...by,
      signal,
      onLine,
      command: () => ({ ...command, readable, ...(image !== undefined && { image }) }),
    });
    if (ending.code === 0) return lines;
    if (command.file === uv?.file) throw uvFailed(lines, ending);
    const own = ending.outOfMemory ? undefined : diagnose(lines)?.line.replace(/^ERROR: /, '');
    if (lines.some((line) => GAVE_UP.test(line))) throw unreachable();
    throw failed(withPackage(own ?? `pip ${ending.message}`, failedPackage(lines)));
  }

  /**
   * The environment sees the system's pip and runs it directly; `python -m pip` would start another process, which
   * takes longer.
   */
  const pipIn = (venv: string) => {
    const own = join(venv, 'bin/python');
    const isSeen = python.file === SYSTEM_PYTHON && python.hasPip && python.image === undefined;
    const install = ['install', ...QUIET, SYSTEM_UNREAD];
    return isSeen
      ? { file: own, args: ['-m', 'pip', ...install] }
      : { file: pipOf, args: ['-m', 'pip', '--python', own, ...install] };
  };

  /** The installer with its index options; uv does not read pip's configuration and gets it passed. */
  async function installer(venv: string, byUv: boolean, addresses: readonly string[], { signal }: Waiter) {
    const { file, args } = pipIn(venv);
    const pip = { file, args: [...args, ...from], readable: [] };
    if (!byUv || uv === null) return { ...pip, env: pipEnvironment(addresses) };
    const [index = '', ...extra] = withDefault ? ['', ...addresses] : addresses;
    const quiet = { print: () => undefined, signal };
    const list = { file: pipOf, args: ['-m', 'pip', 'config', 'list'], cwd: venv, writable: [venv] };
    const own = pipConfiguration(isSet && !withDefault ? [] : await run(list, quiet));
    const links = [...findLinks, ...own['find-links'].split(/(?:\\n|\s)+/)].filter((link) => link !== '');
    return {
      file: uv.file,
      readable: isOfSystem(uv.file) ? [] : [uv.file],
      args: [
        ...uvArguments(venv),
        ...(isSet && index === '' && !withDefault ? ['--no-index'] : []),
        ...links.map((link) => `--find-links=${link}`),
      ],
      env: uvEnvironment(
        index || own['index-url'],
        [...extra, ...own['extra-index-url'].split(/(?:\\n|\s)+/).filter(Boolean)],
        own.proxy,
      ),
    };
  }

  /** Numbers of the lines that the system's packages satisfy. */
  async function satisfied(lines: readonly string[], { signal }: Waiter): Promise<ReadonlySet<number>> {
    await using work = await workspace.open();
    const file = join(work.path, 'requirements.txt');
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
    const command = { file: python.file, args: [SATISFIED, file], cwd: work.path };
    const found = new Set<number>();
    const print = (line: string) => {
      if (/^\d+$/.test(line)) found.add(Number(line));
    };
    await run({ ...command, readable: [work.path, SATISFIED] }, { print, signal });
    return found;
  }

  /**
   * Installs named packages from the server's own requirement files in an empty directory: no line can make pip find
   * files of the bundle.
   */
  async function installNames(venv: string, source: string, requirements: Requirements, waiter: Waiter) {
    await using work = await workspace.open();
    const wheels = await copyWheels(source, requirements.wheels, work.path);
    const byUv = uv !== null && uvCanInstall(requirements);
    // uv does not see system packages: requirements they satisfy are left out.
    const had = byUv && python.isSystem ? await satisfied(requirements.lines, waiter) : new Set<number>();
    const wanted = requirements.lines.map((line, i) => (had.has(i) ? '' : line));
    const lists: string[] = [];
    for (const [flag, name, lines] of [
      ['-r', 'requirements.txt', [...wanted, ...wheels.map((wheel) => `./${wheel}`)]],
      ['-c', 'constraints.txt', requirements.constraints],
    ] as const) {
      if (lines.every((line) => line === '')) continue;
      await writeFile(join(work.path, name), `${lines.join('\n')}\n`, { mode: 0o644 });
      lists.push(flag, name);
    }
    if (!lists.includes('-r')) return;
    using opened = await shown.open();
    const tool = await installer(venv, byUv, opened.addresses, waiter);
    const isHashed = byUv && wanted.some((line) => line.includes('--hash'));
    const args = [...tool.args, ...(isHashed ? ['--require-hashes'] : []), ...lists];
    const command = {
      file: tool.file,
      cwd: work.path,
      env: tool.env,
      readable: [work.path, ...local, ...tool.readable],
      writable: [venv],
    };
    if (network) return void (await run({ ...command, args }, waiter));
    if (byUv)
      return void (await run({ ...command, args: [...args, '--only-binary=:all:'], network: true }, waiter));
    // Installing a wheel runs none of its code, so this step alone may always use the network.
    const logs = join(work.path, 'logs');
    await workspace.openTo(logs, by);
    const log = join(logs, 'pip.log');
    try {
      const binary = [...args, '--only-binary=:all:', `--log=${log}`];
      await run({ ...command, args: binary, writable: [venv, logs], network: true }, waiter);
    } catch (error) {
      await launcher.takeBack(logs);
      const seen = await readFile(log, 'utf8').catch(() => '');
      const name = error instanceof ApiError && SOURCE_ONLY.exec(seen)?.[1];
      if (!name) throw error;
      throw sourceOnly(name);
    }
  }

  return {
    /** Whether the system's packages satisfy all requirements. */
    async hasSystem({ reach, lines, constraints }: Requirements, waiter: Waiter): Promise<boolean> {
      if (reach !== 'names' || constraints.some((line) => line !== '')) return false;
      const had = await satisfied(lines, waiter);
      return lines.every((line, i) => line === '' || had.has(i));
    },
    createEnvironment: (venv: string, waiter: Waiter) =>
      run(
        {
          file: python.file,
          args: ['-m', 'venv', '--without-pip', '--system-site-packages', venv],
          cwd: venv,
          writable: [venv],
        },
        waiter,
      ),
    /** Installs missing packages from the server's index. @throws ApiError 1 with pip's own words */
    async installNamed(venv: string, names: readonly string[], waiter: Waiter): Promise<void> {
      waiter.print(`Installing ${names.join(' and ')}, by which it runs ...`);
      const only = network ? [] : ['--only-binary=:all:'];
      using opened = await shown.open();
      const tool = await installer(venv, uv !== null, opened.addresses, waiter);
      const readable = [...local, ...tool.readable];
      const command = { ...tool, args: [...tool.args, ...only, ...names], cwd: venv, readable };
      await run({ ...command, writable: [venv], ...(!network && { network: true as const }) }, waiter);
    },
    /** @throws ApiError 1 with pip's own words */
    async install(venv: string, source: string, requirements: Requirements, waiter: Waiter): Promise<void> {
      waiter.print(
        `Installing the packages of ${requirements.file}${uv !== null && uvCanInstall(requirements) ? ' with uv' : ''} ...`,
      );
      if (!network) requireNoNetwork(requirements);
      const whole = requirements.reach === 'bundle';
      if (!whole || !network) await installNames(venv, source, requirements, waiter);
      if (!whole || (!network && requirements.others.length === 0)) return;
      // Its code runs during the build: with the content's network access, in a copy of the bundle.
      const offline = network ? from : ['--no-index', '--no-build-isolation'];
      const { file, args } = pipIn(venv);
      using opened = await shown.open();
      await run(
        {
          file: '/bin/sh',
          args: ['-c', IN_COPY, 'sh', file, ...args, ...offline, '-r', requirements.file],
          cwd: source,
          env: network ? pipEnvironment(opened.addresses) : { PIP_CONFIG_FILE: '/dev/null' },
          readable: [source, ...local],
          writable: [venv],
        },
        waiter,
      );
    },
  };
}

/** Copies the bundle's wheels, so that later changes do not matter. Returns their names. */
async function copyWheels(source: string, wheels: readonly string[], directory: string): Promise<string[]> {
  const names: string[] = [];
  for (const wheel of wheels) {
    await using file = await openPlain(source, wheel);
    if (file === null) throw failed(`the bundle has no file ${wheel}`);
    const name = basename(wheel);
    if (names.includes(name)) continue;
    await writeFile(join(directory, name), file.createReadStream({ autoClose: false }), { mode: 0o644 });
    names.push(name);
  }
  return names;
}

/** The directory of an address; null if it is remote. */
function localPath(address: string): string | null {
  if (address.startsWith('file://')) return fileURLToPath(address);
  return address === '' || /^\w+:\/\//.test(address) ? null : resolve(address);
}
