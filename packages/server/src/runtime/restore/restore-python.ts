// Gives content the Python packages that its requirements name: a virtual environment, shared by all that ask the same.
import { hash } from 'node:crypto';
import { access, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Manifest } from '@pressroom/api/contract';
import { flushTree } from '../../bundles/archive/flush-tree.ts';
import type { Clock, Ids } from '../../platform/clock.ts';
import { collectOutput } from '../collect-output.ts';
import type { Installation, PythonInstallation } from '../installations.ts';
import { toolsOf, type Environment } from '../kinds/index.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { markUsed } from './last-use.ts';
import type { IndexGateway } from './index-gateway.ts';
import type { Limit } from './limit.ts';
import type { PackageSource } from './package-source.ts';
import { pathTo } from './path-to.ts';
import { createPip } from './pip.ts';
import { readRequirements, type Requirements } from './python-requirements.ts';
import { createShared, type Waiter } from './share.ts';
import type { Workspace } from './workspace.ts';

export interface PythonRestorerOptions {
  readonly launcher: Launcher;
  readonly directory: string;
  readonly workspace: Workspace;
  readonly python: PythonInstallation;
  /** What installs instead of pip, where it is there. */
  readonly findUv: () => Promise<Installation | null>;
  /** Indexes (PEP 503), the first one first; none: pip's own. */
  readonly indexes: readonly PackageSource[];
  /** Directories or pages of packages. Without an index, nothing else is asked. */
  readonly findLinks: readonly string[];
  /** Whether what pip is set up with on this machine is asked, too. */
  readonly withDefault: boolean;
  readonly gateway: IndexGateway;
  /** The content whose own indexes these are: what they have is for nobody else. */
  readonly owner: string | null;
  /** Whether content may use the network. */
  readonly network: boolean;
  readonly limit: Limit;
  /** Bytes of the disk that stay free. */
  readonly reserve: number;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface BundleSource {
  /** The bundle's files. */
  readonly source: string;
  /** The same only where those are the same: they may be among what is to be installed. */
  readonly fingerprint: string;
  /** The content that they are of: what depends on them is for nobody else. */
  readonly owner: string;
}

export interface PythonRestorer {
  restore(manifest: Manifest, bundle: BundleSource, waiter: Waiter): Promise<Environment>;
}

/** Written by the server into an environment that is whole. */
const COMPLETE = 'complete';
/** Counts up when environments get better: those of before are used where they are, and not found any more. */
const FORMAT = 2;

/**
 * Environments see the system's packages, too (`--system-site-packages`): what the distribution has counts where it
 * satisfies the requirements, and the engines find uvicorn, gunicorn and ipykernel without any content listing them.
 * Without requirements, or when the system has all that they name, its interpreter is used as it is: the distribution
 * answers for its packages fitting together, though their metadata sometimes says otherwise (Debian's fastapi).
 * Another Python than the system's sees its own packages, and gets those that run content with those of the content.
 */
export function createPythonRestorer(options: PythonRestorerOptions): PythonRestorer {
  const { launcher, workspace, python, indexes, findLinks, network, limit, reserve, clock, ids } = options;
  const directory = join(options.directory, python.version);
  const openPip = async () => createPip({ ...options, uv: await options.findUv() });
  const share = createShared<string>();
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

  /** Another server of the same data directory may have built it, too: either will do. */
  async function find(key: string): Promise<string | null> {
    for (const name of await readdir(directory).catch(() => [])) {
      const path = join(directory, name);
      if (name.startsWith(key) && (await isComplete(path))) return path;
    }
    return null;
  }

  /** Where it stays: the scripts in it name their interpreter by its path. */
  async function build(
    key: string,
    source: string,
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
      await workspace.openTo(venv);
      const pip = await openPip();
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

  /** The server copies what was installed, so that no process can change it any more, and makes the links itself. */
  async function takeOver(venv: string, signal: AbortSignal): Promise<void> {
    const built = `${venv}-built`;
    await launcher.takeBack(venv);
    await rename(venv, built);
    // Modules whose source is younger than what was compiled of it are compiled anew by every process.
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
    async restore(manifest, { source, fingerprint, owner }, waiter) {
      const { print } = waiter;
      const { version, file } = python;
      const requirements = await readRequirements(
        source,
        manifest.python?.package_manager.package_file ?? null,
      );
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
      if (requirements && isSystem && runBy.length === 0) {
        const pip = await openPip();
        if (await pip.hasSystem(requirements, waiter)) {
          print(`Python packages of ${requirements.file}: the system has them`);
          return plain;
        }
      }
      const key = [
        FORMAT,
        version,
        indexes.map(({ address }) => address).join(','),
        findLinks.join(','),
        network,
        ...(requirements ? whose(requirements, owner, fingerprint) : []),
        ...(options.owner === null ? [] : [{ owner: options.owner, withDefault: options.withDefault }]),
        ...(isSystem && python.image === undefined ? [] : [file, runBy]),
        // Its environments see the packages of the image itself.
        ...(python.image === undefined ? [] : [python.image]),
      ];
      const name = hash('sha256', JSON.stringify(key), 'hex').slice(0, 32);
      const found = await find(name);
      if (found !== null) {
        print(`Python packages of ${requirements?.file ?? runBy.join(', ')}: from the cache`);
        return environmentOf(found);
      }
      const path = await share(name, waiter, (building) =>
        limit(building.signal, () => build(name, source, requirements, runBy, building)),
      );
      return environmentOf(path);
    },
  };
}

/**
 * What else an environment is found by. Those who ask a trusted index for the same names share it; what other indexes
 * answer is for the content that named them, and what is built from files of a bundle for that content and those files.
 */
function whose({ reach, text, lines, constraints }: Requirements, owner: string, fingerprint: string) {
  const asked = [lines, constraints].map((list) => list.filter((line) => line !== ''));
  if (reach === 'names') return [reach, asked];
  return reach === 'index' ? [reach, owner, asked] : [reach, owner, fingerprint, text];
}

/** Whether an environment was built to its end. */
export function isComplete(path: string): Promise<boolean> {
  return access(join(path, COMPLETE)).then(
    () => true,
    () => false,
  );
}
