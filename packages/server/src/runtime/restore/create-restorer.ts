// Restores the R or Python environment that a bundle asks for.
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errors, type Manifest } from '@pressroom/api/contract';
import { systemIds, type Clock, type Ids } from '../../platform/clock.ts';
import type { Installations } from '../installations.ts';
import type { Environment, Language } from '../kinds/engine.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { markUsed, type Exclusive } from './last-use.ts';
import type { PackagePolicy } from './r-plan.ts';
import { createRRepository } from './r-repository.ts';
import { createPythonRestorer, type BundleSource } from './restore-python.ts';
import { createRRestorer } from './restore-r.ts';
import { createWorkspace } from './workspace.ts';

export interface RestoreSettings {
  /** CRAN-like repository: `https://…`, `file://…` or a directory; empty: R's own; `none`. */
  readonly rRepository: string;
  readonly rPackagePolicy: PackagePolicy;
  readonly pythonIndex: string;
  readonly pythonFindLinks: string;
  /** Whether content may use the network: its packages may while they install, then. */
  readonly network: boolean;
}

export interface RestorerOptions {
  readonly launcher: Launcher;
  /** Of its own, for the caches; content must be able to enter it and what is above it. */
  readonly directory: string;
  readonly settings: RestoreSettings;
  readonly installations: Installations;
  readonly exclusively: Exclusive;
  readonly clock: Clock;
  readonly ids?: Ids;
}

export interface RestoreRequest extends BundleSource {
  readonly language: Language;
  readonly manifest: Manifest;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Restorer {
  /**
   * Packages install as the account that content runs as by default, whatever the content's own: environments are
   * shared. At most one process builds the same thing; a build that others wait for goes on when one gives up.
   * @throws ApiError 1 when a package cannot be had or does not install, 38 when the bundle asks for nonsense,
   * 39 when the server lacks the language; the signal's reason when it is aborted.
   */
  restore(request: RestoreRequest): Promise<Environment>;
}

/** Removes what servers that crashed have left half-made. No server may be restoring. */
export async function sweepRestores(directory: string, { remove }: Pick<Launcher, 'remove'>): Promise<void> {
  await remove(workIn(directory));
}

/** Where restores work; each piece of work has a directory of its own there. */
export const workIn = (directory: string) => join(directory, 'work');

export function createRestorer(options: RestorerOptions): Restorer {
  const { launcher, directory, settings, installations, exclusively, clock, ids = systemIds() } = options;
  const once = async () => {
    await mkdir(directory, { recursive: true, mode: 0o755 });
    // Servers before this one may have closed it.
    await chmod(directory, 0o755);
    const workspace = await createWorkspace(workIn(directory), ids, launcher);
    const [r, python] = await Promise.all([installations.findR(), installations.findPython()]);
    const address = settings.rRepository || r?.repository;
    const repository = !address || address === 'none' ? null : createRRepository(address);
    const shared = { launcher, workspace, exclusively, clock, ids };
    return {
      R:
        r &&
        createRRestorer({
          ...shared,
          directory: join(directory, 'R'),
          r,
          repository,
          policy: settings.rPackagePolicy,
        }),
      Python:
        python &&
        createPythonRestorer({
          ...shared,
          directory: join(directory, 'Python'),
          python,
          index: settings.pythonIndex,
          findLinks: settings.pythonFindLinks,
          network: settings.network,
        }),
    };
  };
  let restorers: ReturnType<typeof once> | undefined;

  return {
    async restore({ language, manifest, print, signal, ...bundle }) {
      restorers ??= once();
      restorers.catch(() => (restorers = undefined));
      const { R, Python } = await restorers;
      const waiter = { print, signal };
      const missing = () =>
        errors.actionNotSupported({ message: `${language} is not installed on this server` });
      if (!(language === 'R' ? R : Python)) throw missing();
      for (;;) {
        const environment =
          language === 'R'
            ? await R!.restore(manifest, waiter)
            : await Python!.restore(manifest, bundle, waiter);
        const [path] = environment.readable;
        if (path === undefined || (await exclusively(() => markUsed(path, clock.now())))) return environment;
        // It was evicted at this very moment.
        signal.throwIfAborted();
      }
    },
  };
}
