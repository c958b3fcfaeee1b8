// Restores the Python packages of content: a virtual environment, shared by all with the same requirements.
import { hash } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { flushTree } from '../../../bundles/archive/flush-tree.ts';
import type { Clock, Ids } from '../../../platform/clock.ts';
import type { LimitByTurns } from '../../../platform/limit-by-turns.ts';
import { collectOutput } from '../../collect-output.ts';
import type { Installation, PythonInstallation } from '../../installations.ts';
import { toolsOf, type Environment } from '../../kinds/index.ts';
import type { Launcher } from '../../sandbox/launcher.ts';
import { markUsed } from '../last-use.ts';
import type { PackageSource } from '../package-source.ts';
import { pathTo } from '../path-to.ts';
import { createShared, type Waiter } from '../share.ts';
import { alone, type InstalledBy, type Workspace } from '../workspace.ts';
import type { IndexGateway } from './index-gateway.ts';
import { createPip } from './pip.ts';
import { readRequirements, type Requirements } from './python-requirements.ts';

export interface PythonRestorerOptions {
  readonly launcher: Launcher;
  readonly directory: string;
  readonly workspace: Workspace;
  readonly python: PythonInstallation;
  /** Finds what is used instead of pip, if installed. */
  readonly findUv: () => Promise<Installation | null>;
  /** Indexes (PEP 503), in order; none for pip's own. */
  readonly indexes: readonly PackageSource[];
  /** Directories or pages of packages. Without an index, nothing else is used. */
  readonly findLinks: readonly string[];
  /** Whether pip's configured index is used, too. */
  readonly withDefault: boolean;
  readonly gateway: IndexGateway;
  /** The content whose own indexes these are: their packages are not shared. */
  readonly owner: string | null;
  /** Whether content may use the network. */
  readonly network: boolean;
  readonly limit: LimitByTurns;
  /** Bytes of disk space that stay free. */
  readonly reserve: number;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface BundleSource {
  /** The bundle's files. */
  readonly source: string;
  /** Identifies the bundle's files, which may be part of what is installed. */
  readonly fingerprint: string;
  /** The content: what depends on its files is not shared. */
  readonly owner: string;
  /** Account that the files belong to; null for the default one. */
  readonly runAs: string | null;
}

export interface PythonRestorer {
  restore(manifest: Manifest, bundle: BundleSource, waiter: Waiter): Promise<Environment>;
}

/** Marker file of a complete environment. */
const COMPLETE = 'complete';
/** Increased when environments change: older ones keep working where they are used, but are not reused. */
const FORMAT = 2;

/**
 * Environments include the system's packages (`--system-site-packages`): the distribution's packages are used if they
 * satisfy the requirements, and the engines find uvicorn, gunicorn and ipykernel without content listing them. Without
 * requirements, or if the system satisfies them all, its interpreter is used directly: the distribution ensures that
 * its packages fit together, though their metadata sometimes disagrees (Debian's fastapi). Other Pythons see only their
 * own packages, and get those for running content installed with the content's.
 */
export function createPythonRestorer(options: PythonRestorerOptions): PythonRestorer {
  const { launcher, workspace, python, indexes, findLinks, network, limit, reserve, clock, ids } = options;
  const directory = join(options.directory, python.version);
  const openPip = async (by: InstalledBy) => createPip({ ...options, by, uv: await options.findUv() });
  const { share } = createShared<string>();
  const own = {
    ...(python.readable.length > 0 && { interpreter: python.readable }),
    ...(python.image !== undefined && { image: python.image, base: python.file }),
  };
  const { isSystem } = python;

  function environmentOf(path: string): Environment {
    const venv = join(path, 'venv');
    const env = {
      VIRTUAL_ENV: venv,
      PATH: `${join(venv, 'bin')}:/usr/local/bin:/usr/bin:/bin`,
      PYTHONNOUSERSITE: '1',
    };
    const { version } = python;
    return {
      language: 'Python',
      version,
      file: join(venv, 'bin/python'),
      env,
      readable: [path],
      ...own,
    };
  }

  /** Another server of the same data directory may have built it, too; either can be used. */
  async function find(key: string): Promise<string | null> {
    for (const name of await readdir(directory).catch(() => [])) {
      const path = join(directory, name);
      if (name.startsWith(key) && (await isComplete(path))) return path;
    }
    return null;
  }

  /** Built in its final place: scripts in it contain the interpreter's path. */
  async function build(
    key: string,
    { source, owner, runAs }: BundleSource,
    requirements: Requirements | null,
    runBy: readonly string[],
    waiter: Waiter,
  ) {
    const there = await find(key);
    if (there !== null) return there;
    const path = join(directory, `${key}-${ids.taskId()}`);
    await mkdir(path, { recursive: true, mode: 0o755 });
    try {
      const venv = join(path, 'venv');
      // The files may be closed to every other account.
      const by = requirements?.reach === 'bundle' ? { runAs, content: owner } : alone(path);
      await workspace.openTo(venv, by);
      const pip = await openPip(by);
      await pip.createEnvironment(venv, waiter);
      if (requirements) await pip.install(venv, source, requirements, waiter);
      if (runBy.length > 0) await pip.installNamed(venv, runBy, waiter);
      await takeOver(venv, waiter.signal);
      await writeFile(join(path, COMPLETE), '', { flush: true });
      await markUsed(path, clock.now());
      return path;
    } catch (error) {
      await launcher.remove(path);
      throw error;
    }
  }

  /** Copies what was installed, so that no process can change it any more, and creates the links itself. */
  async function takeOver(venv: string, signal: AbortSignal): Promise<void> {
    const built = `${venv}-built`;
    await launcher.takeBack(venv);
    await rename(venv, built);
    // Modules newer than their compiled form would be recompiled by every process.
    const { files } = await collectOutput(built, venv, { signal, reserve, keepTimes: true });
    await rm(built, { recursive: true });
    for (const [name, target] of [
      ['bin/python', python.file],
      ['bin/python3', 'python'],
      ['lib64', 'lib'],
    ] as const) {
      await rm(join(venv, name), { recursive: true, force: true });
      await symlink(target, join(venv, name));
    }
    await flushTree(venv, files);
  }

  return {
    async restore(manifest, bundle, waiter) {
      const { print } = waiter;
      const { version, file } = python;
      const listed = manifest.python?.package_manager.package_file ?? null;
      const requirements = manifest.unmanaged?.python ? null : await readRequirements(bundle.source, listed);
      const runBy = toolsOf(manifest.appmode).filter((name) => !python.tools.includes(name));
      const plain: Environment = {
        language: 'Python',
        version,
        file,
        env: pathTo(file),
        readable: [],
        ...own,
      };
      if (!requirements && runBy.length === 0) return plain;
      const key = [
        FORMAT,
        version,
        indexes.map(({ address }) => address).join(','),
        findLinks.join(','),
        network,
        ...(requirements ? sharingKey(requirements, bundle) : []),
        ...(options.owner === null ? [] : [{ owner: options.owner, withDefault: options.withDefault }]),
        ...(isSystem && python.image === undefined ? [] : [file, runBy]),
        // Environments include the packages of the image itself.
        ...(python.image === undefined ? [] : [python.image]),
      ];
      const name = hash('sha256', JSON.stringify(key), 'hex').slice(0, 32);
      const found = await find(name);
      if (found !== null) {
        print(`Python packages of ${requirements?.file ?? runBy.join(', ')}: from the cache`);
        return environmentOf(found);
      }
      // Starts Python, so it comes after the cache.
      if (requirements && isSystem && runBy.length === 0) {
        const pip = await openPip(alone(ids.taskId()));
        if (await pip.hasSystem(requirements, waiter)) {
          print(`Python packages of ${requirements.file}: the system has them`);
          return plain;
        }
      }
      const path = await share(name, waiter, (building) =>
        limit(bundle.owner, () => build(name, bundle, requirements, runBy, building), building.signal),
      );
      return environmentOf(path);
    },
  };
}

/**
 * The sharing part of an environment's key. Requirements by name from a trusted index are shared; packages of other
 * indexes belong to the content that names them, and builds from bundle files to that content and those files.
 */
function sharingKey({ reach, text, lines, constraints }: Requirements, { owner, fingerprint }: BundleSource) {
  const packages = [lines, constraints].map((list) => list.filter((line) => line !== ''));
  if (reach === 'names') return [reach, packages];
  return reach === 'index' ? [reach, owner, packages] : [reach, owner, fingerprint, text];
}

/** Whether an environment was built completely. */
export function isComplete(path: string): Promise<boolean> {
  return access(join(path, COMPLETE)).then(
    () => true,
    () => false,
  );
}
