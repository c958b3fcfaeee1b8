// Restores the R or Python environment of a bundle.
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errors, type Manifest } from '@pressroom/api/contract';
import { listOf } from '../../main/config/setting-kinds.ts';
import { systemIds, type Clock, type Ids } from '../../platform/clock.ts';
import { createLimitByTurns } from '../../platform/limit-by-turns.ts';
import { requestOf, chooseInstallation, type VersionMatching } from '../choose-version.ts';
import type { Installation, Installations, PythonInstallation, RInstallation } from '../installations.ts';
import type { Environment, Language } from '../kinds/engine.ts';
import type { Launcher } from '../sandbox/launcher.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { markUsed, type Exclusive } from './last-use.ts';
import { sourcesFor, type OwnSource } from './own-sources.ts';
import { packageSource, readCredentials, type PackageSource } from './package-source.ts';
import { createIndexGateway } from './python/index-gateway.ts';
import { createPythonRestorer, type BundleSource } from './python/restore-python.ts';
import type { PackagePolicy } from './r/r-plan.ts';
import { createRRepository, joinRepositories } from './r/r-repository.ts';
import { createRRestorer } from './r/restore-r.ts';
import { createWorkspace } from './workspace.ts';

export interface RestoreSettings {
  /** CRAN-like repositories, in order: `https://…`, `file://…` or a directory; empty for R's own; `none`. */
  readonly rRepository: string;
  readonly rPackagePolicy: PackagePolicy;
  /** The first is the index, others are additional. */
  readonly pythonIndex: string;
  readonly pythonFindLinks: string;
  /** A netrc file with names and passwords for both; empty for none. */
  readonly credentials: string;
  /** Hosts of content's repositories that may have private addresses. */
  readonly privateHosts: string;
  /** A path, `none`, or empty for the system's. */
  readonly pythonUv: string;
  /** What substitutes a missing version. */
  readonly rVersionMatching: VersionMatching;
  readonly pythonVersionMatching: VersionMatching;
  /** Whether content may use the network: then so may its packages during installation. */
  readonly network: boolean;
  /** Bytes of disk space that stay free; absent for no reserve. */
  readonly diskReserve?: number;
}

export interface RestorerOptions {
  readonly launcher: Launcher;
  /** Directory of the caches; content must be able to enter it and its parents. */
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
  /** Package repositories of the content; absent for none. */
  readonly sources?: readonly OwnSource[];
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

export interface Restorer {
  /**
   * Packages are installed by the default account of content, whatever the content's own: environments are shared. Those
   * that need the bundle's files are not, and the content's account installs them. Each is built at most once at a time;
   * a shared build continues if one caller gives up.
   * @throws ApiError 1 if a package is unavailable or does not install, 38 for invalid requirements, 39 if the server
   * lacks the language, or the version; the signal's reason when it is aborted.
   */
  restore(request: RestoreRequest): Promise<Environment>;
}

/** The repositories of a content item. */
interface Own {
  readonly owner: string;
  readonly sources: readonly OwnSource[];
}
const NOT_OWN: Own = { owner: '', sources: [] };
const isServerOf = (language: Language) => (one: OwnSource) =>
  one.language === language && one.address === null;
const isFile = ({ address, isOwn }: PackageSource) => isOwn === true && address.startsWith('file:');

/** Removes partial work of crashed servers. No server may be restoring. */
export async function sweepRestores(directory: string, { remove }: Pick<Launcher, 'remove'>): Promise<void> {
  await remove(workIn(directory));
}

/** Concurrent installations of a language, over all versions; content items take turns. */
const R_AT_ONCE = 3;
const PYTHON_AT_ONCE = 2;

/** A version from a manifest, sanitised for display. */
const plain = (version: string) => version.replace(/[^\w.+ -]/g, '').slice(0, 40);

/** One per installation, and one per restore of content with its own repositories. */
function kept<T extends Installation, R>(make: (installation: T, own: Own) => R): typeof make {
  const made = new WeakMap<T, R>();
  return (installation, own) => {
    if (own !== NOT_OWN) return make(installation, own);
    const known = made.get(installation) ?? make(installation, own);
    made.set(installation, known);
    return known;
  };
}

/** Working directory of restores; each one has a subdirectory. */
export const workIn = (directory: string) => join(directory, 'work');

export function createRestorer(options: RestorerOptions): Restorer {
  const { launcher, directory, settings, installations, exclusively, clock, ids = systemIds() } = options;
  const once = async () => {
    await mkdir(directory, { recursive: true, mode: 0o755 });
    // Older servers may have closed it.
    await chmod(directory, 0o755);
    const workspace = await createWorkspace(workIn(directory), ids, launcher);
    const reserve = settings.diskReserve ?? 0;
    const shared = { launcher, workspace, exclusively, clock, ids, reserve };
    const credentials = readCredentials(settings.credentials);
    const [limitR, limitPython] = [createLimitByTurns(R_AT_ONCE), createLimitByTurns(PYTHON_AT_ONCE)];
    const guarded = createGuardedFetch(listOf(settings.privateHosts));
    const repositoriesOf = (r: RInstallation) =>
      listOf(settings.rRepository || (r.repository ?? 'none'))
        .filter((address) => address !== 'none')
        .map((address) => packageSource(address, credentials));
    const forR = (r: RInstallation, own: Own) => {
      const all = sourcesFor(own.sources, 'R', repositoriesOf(r));
      const repositories = (all ?? repositoriesOf(r)).map(({ address, authorization, isOwn }) =>
        createRRepository(address, { authorization, reserve, ...(isOwn && { fetch: guarded }) }),
      );
      return createRRestorer({
        owner: all === null ? null : own.owner,
        ...shared,
        directory: join(directory, 'R'),
        r,
        repository: joinRepositories(repositories),
        policy: settings.rPackagePolicy,
        limit: limitR,
      });
    };
    const gateway = createIndexGateway(guarded, launcher.containers?.hostAddress);
    const indexes = listOf(settings.pythonIndex).map((address) => packageSource(address, credentials));
    const links = listOf(settings.pythonFindLinks);
    const forPython = (python: PythonInstallation, own: Own) => {
      const all = sourcesFor(own.sources, 'Python', indexes);
      const isOfServer = all === null || own.sources.some(isServerOf('Python'));
      const directories = (all ?? []).filter(isFile).map(({ address }) => address);
      return createPythonRestorer({
        ...shared,
        owner: all === null ? null : own.owner,
        directory: join(directory, 'Python'),
        python,
        findUv: () => installations.findUv(settings.pythonUv),
        indexes: (all ?? indexes).filter((one) => !isFile(one)),
        findLinks: [...directories, ...(isOfServer ? links : [])],
        withDefault: all !== null && isOfServer && indexes.length + links.length === 0,
        gateway,
        network: settings.network,
        limit: limitPython,
      });
    };
    return { forR: kept(forR), forPython: kept(forPython) };
  };
  let restorers: ReturnType<typeof once> | undefined;

  return {
    async restore({ language, manifest, print, signal, sources = [], ...bundle }) {
      restorers ??= once();
      restorers.catch(() => (restorers = undefined));
      const { forR, forPython } = await restorers;
      const waiter = { print, signal };
      const hasOwn = sources.some((one) => one.language === language);
      const own = hasOwn ? { owner: bundle.owner, sources } : NOT_OWN;
      const request = requestOf(manifest, language);
      const choose = <T extends Installation>(installed: readonly T[]): T => {
        if (installed.length === 0)
          throw errors.actionNotSupported({ message: `${language} is not installed on this server` });
        const policy = language === 'R' ? settings.rVersionMatching : settings.pythonVersionMatching;
        const chosen = chooseInstallation(installed, request, policy);
        const wanted = [
          ...(request.version === null ? [] : [`version ${plain(request.version)}`]),
          ...(request.requires === null
            ? []
            : [`${request.version === null ? '' : 'of '}${request.requires}`]),
        ].join(' ');
        const program = 'program' in chosen ? String(chosen.program) : chosen.file;
        const file = chosen.imageName === undefined ? program : `${program} of ${chosen.imageName}`;
        if (wanted !== '')
          print(`Bundle requested ${language} ${wanted}; using ${file} which has version ${chosen.version}`);
        return chosen;
      };
      let restore: () => Promise<Environment>;
      if (language === 'R') {
        const restorer = forR(choose(await installations.listR()), own);
        restore = () => restorer.restore(manifest, bundle.owner, waiter);
      } else {
        const restorer = forPython(choose(await installations.listPython()), own);
        restore = () => restorer.restore(manifest, bundle, waiter);
      }
      if (manifest.unmanaged?.[language === 'R' ? 'r' : 'python'])
        print(`${language} packages are not installed: the manifest says so`);
      for (;;) {
        const environment = await restore();
        const [path] = environment.readable;
        if (path === undefined || (await exclusively(() => markUsed(path, clock.now())))) return environment;
        // It was evicted at this very moment.
        signal.throwIfAborted();
      }
    },
  };
}
