// Writes the manifest of a bundle, or uses the existing one.
import { readdir } from 'node:fs/promises';
import { wording, type Wording } from '../../client/failure-texts.ts';
import { findKind, kindLabel, kinds } from '../../contract/find-kind.ts';
import { holdsShinyApp } from '../../contract/manifest/main-file.ts';
import type { ManifestFile, FileMetadata, FilePython } from '../../contract/manifest/manifest-file.ts';
import { BundleError } from '../collect/bundle-error.ts';
import { resolveRoot, type BundleFile } from '../collect/bundle-file.ts';
import { mayHoldSecrets } from '../collect/default-exclusions.ts';
import { hashFiles, type HashProgress } from '../collect/hash-files.ts';
import { secretFiles } from '../collect/secret-files.ts';
import { otherKernel } from '../dependencies/language-of.ts';
import type { ContentCandidate } from '../detect/content-candidate.ts';
import { BUNDLE_TEXTS } from '../problem-texts.ts';
import { normalVersion, readPythonRequirement, readPythonVersion } from './python-version.ts';
import { quartoEngines } from './quarto-engines.ts';
import { readREnvironment } from './r-packages.ts';
import { listManifestFiles, listsFiles, readManifest } from './read-manifest.ts';

export interface ManifestOptions {
  /** The directory the files were collected from. */
  root: string;
  files: readonly BundleFile[];
  /** The kind of the directory; required without a manifest.json. */
  content?: Pick<
    ContentCandidate,
    'appmode' | 'contentCategory' | 'primary' | 'entrypoint' | 'hasParameters'
  >;
  /** Error text if `content` is not given and there is no manifest.json. */
  whyUnknown?: string | Wording;
  /** false: write a new manifest even if there is one. */
  useExisting?: boolean;
  /** `en_US.UTF-8` by default. */
  locale?: string;
  /** For R content; missing values are read from files, then from `probe`, then omitted. */
  r?: {
    version?: string;
    /**
     * Directories of installed packages, for projects with DESCRIPTION but without renv.lock: called only for those.
     */
    libraries?: readonly string[] | (() => Promise<readonly string[]>);
    /** Called only if needed; see `probeR`. Undefined without R. */
    probe?: () => Promise<string | undefined>;
  };
  /** For Python content; missing values are read from files, then from `probe`. */
  python?: {
    version?: string;
    /** Version of pip; omitted if not given. */
    pip?: string;
    /** Called only if needed; see `probePython`. */
    probe?: () => Promise<string>;
  };
  signal?: AbortSignal;
  /** Called about once per MiB hashed. */
  onProgress?: (progress: HashProgress) => void;
}

export interface BuiltManifest {
  manifest: ManifestFile;
  /** Files to pack: the given ones, or those of the existing manifest; without manifest.json itself. */
  files: BundleFile[];
  source: 'existing' | 'built';
  /** Hex MD5 by path, for files that were read. */
  checksums: ReadonlyMap<string, string>;
  warnings: string[];
}

const WARNED_FILES = 10;

/**
 * The manifest for a directory. An existing manifest.json is used unchanged, with the files it lists. Starts no
 * process. Throws BundleError (`content-unknown`, `manifest-invalid`, `manifest-files-missing`, `file-missing`,
 * `lockfile-invalid`, `requirements-missing`, `python-version-unknown`, and those of reading files) or the signal's
 * reason.
 */
export async function buildManifest(options: ManifestOptions): Promise<BuiltManifest> {
  options.signal?.throwIfAborted();
  const root = await resolveRoot(options.root);
  const existing = options.useExisting === false ? undefined : await readManifest(root);
  return existing === undefined ? writeManifest(root, options) : takeManifest(root, options, existing);
}

async function takeManifest(
  root: string,
  options: ManifestOptions,
  manifest: ManifestFile,
): Promise<BuiltManifest> {
  const lists = listsFiles(manifest);
  const files = lists ? await listManifestFiles(root, manifest, options.signal) : contentOf(options.files);
  const warnings: string[] = [];
  const sums = lists ? await hashFiles(root, files, options) : new Map<string, string>();
  if (lists) {
    const listed = new Map(
      Object.entries(manifest.files ?? {}).map(([name, entry]) => [
        name.replace(/^\.\//, ''),
        entry.checksum,
      ]),
    );
    const stale = files.filter(({ path }) => {
      const sum = listed.get(path);
      return typeof sum === 'string' && sum !== '' && sum.toLowerCase() !== sums.get(path);
    });
    if (stale.length > 0)
      warnings.push(`Changed since manifest.json was written: ${first(stale.map(({ path }) => path))}.`);
    const secret = secretFiles(files);
    if (secret.length > 0) {
      warnings.push(
        `Published because manifest.json lists it, though it may hold secrets: ${first(secret)}. ` +
          'Set variables on the server instead, and write manifest.json again without it.',
      );
    }
  } else warnings.push(...secretWarnings(files));
  return { manifest, files, source: 'existing', checksums: sums, warnings };
}

/** Of files that were collected. Those that are excluded by default are here only if somebody asked for them. */
function secretWarnings(files: readonly BundleFile[]): string[] {
  const secret = secretFiles(files).filter((file) => !mayHoldSecrets(file));
  if (secret.length === 0) return [];
  return [
    `Published though it may hold secrets: ${first(secret)}. ` +
      'Exclude it in a .pressroomignore file, and set variables on the server instead.',
  ];
}

function first(files: readonly string[]): string {
  const shown = files.slice(0, WARNED_FILES);
  const more = files.length > WARNED_FILES ? ` and ${files.length - WARNED_FILES} more` : '';
  return `${shown.join(', ')}${more}`;
}

async function writeManifest(root: string, options: ManifestOptions): Promise<BuiltManifest> {
  const files = contentOf(options.files);
  const content = publishable(options, files);
  await refuseOtherKernel(root, content);
  const warnings = secretWarnings(files);
  const manifest: ManifestFile = {
    version: 1,
    locale: options.locale ?? 'en_US.UTF-8',
    metadata: metadataOf(content),
  };
  const engines = content.appmode === 'quarto-static' ? await quartoEngines(root, files) : [];
  if (engines.length > 0) manifest.quarto = { engines };
  const language = findKind(content.appmode)?.language;
  if (language === 'R' || engines.includes('knitr')) {
    const environment = await readREnvironment(root, options.r?.libraries ?? []);
    const version = options.r?.version ?? environment.version ?? (await options.r?.probe?.());
    if (version === undefined) warnings.push('The R version is unknown: the server will use its own.');
    else manifest.platform = version;
    warnings.push(...environment.warnings);
    manifest.packages = environment.packages;
  } else manifest.packages = {};
  if (language === 'Python' || engines.includes('jupyter')) {
    manifest.python = await pythonOf(root, options, has(files, 'requirements.txt'));
    const requires = await readPythonRequirement(root);
    if (requires !== undefined) manifest.environment = { python: { requires } };
  }
  const sums = await hashFiles(root, files, options);
  manifest.files = Object.fromEntries(
    files.map(({ path }) => [path, { checksum: sums.get(path) as string }]),
  );
  return { manifest, files, source: 'built', checksums: sums, warnings };
}

/** The kind of the directory; throws if it is unknown, or cannot start. */
function publishable(
  { content, whyUnknown }: ManifestOptions,
  files: readonly BundleFile[],
): NonNullable<ManifestOptions['content']> {
  if (files.length === 0) throw new BundleError('nothing-to-pack', wording(BUNDLE_TEXTS.nothing));
  if (content === undefined) {
    throw new BundleError('content-unknown', whyUnknown ?? wording(BUNDLE_TEXTS.unknownType));
  }
  const { appmode, primary } = content;
  if (findKind(appmode) === undefined) {
    const known = kinds.map((kind) => kind.appmode).join(', ');
    throw new BundleError('content-unknown', wording(BUNDLE_TEXTS.notPublishable, appmode, known));
  }
  if (primary === '') {
    throw new BundleError('file-missing', wording(BUNDLE_TEXTS.noMainFile, appmode, kindLabel(appmode)));
  }
  const problem = startProblem(content, files);
  if (problem !== undefined) throw new BundleError('file-missing', problem, { paths: [primary] });
  return content;
}

/** Servers run notebooks with Python only. */
async function refuseOtherKernel(
  root: string,
  { appmode, primary }: NonNullable<ManifestOptions['content']>,
): Promise<void> {
  const isNotebook = findKind(appmode)?.language === 'Python' && /\.ipynb$/i.test(primary);
  const kernel = isNotebook ? await otherKernel(root, primary) : undefined;
  if (kernel === undefined) return;
  const commands = [`jupyter nbconvert --to html ${primary}`, `quarto convert ${primary}`];
  throw new BundleError('content-unknown', wording(BUNDLE_TEXTS.otherKernel, primary, kernel, ...commands), {
    paths: [primary],
  });
}

/** What plumber or plumber2 starts from without an entry point. */
const PLUMBER_FILE = /^(?:[^/]+\.r|_server\.ya?ml)$/i;

/** What is wrong with the main file; undefined if nothing is. */
function startProblem(
  { appmode, primary, entrypoint }: NonNullable<ManifestOptions['content']>,
  files: readonly BundleFile[],
): Wording | undefined {
  const kind = findKind(appmode);
  if (appmode === 'shiny' && !holdsShinyApp(files.map(({ path }) => path)))
    return wording(BUNDLE_TEXTS.shinyMainFile, primary);
  // Found as another type: content that is rendered or runs starts from no page.
  const isPage = /\.html?$/i.test(primary) && kind?.engine !== 'files';
  // Python programs may start from a file below the top level, or from a module, also in a package.
  if (kind?.language === 'Python' && kind.primary === null) {
    const module = entrypoint.split(':')[0]!.replace(/\.py$/, '').replaceAll('.', '/');
    const names = [`${module}.py`, `${module}/__init__.py`];
    if (isPage) return wording(BUNDLE_TEXTS.noMainFile, appmode, kindLabel(appmode));
    if ([primary, ...names].some((name) => has(files, name))) return undefined;
    return wording(BUNDLE_TEXTS.noEntryPoint, entrypoint, ...names);
  }
  if (appmode === 'nodejs' && !has(files, 'package.json'))
    return wording(BUNDLE_TEXTS.mainFileMissing, 'package.json');
  const starts = appmode === 'api' && files.some(({ path }) => PLUMBER_FILE.test(path));
  if (isPage && !starts && (appmode === 'api' || kind?.primary != null))
    return wording(BUNDLE_TEXTS.noMainFile, appmode, kindLabel(appmode));
  if (has(files, primary) && !primary.includes('/')) return undefined;
  const slash = primary.lastIndexOf('/');
  return has(files, primary)
    ? wording(BUNDLE_TEXTS.mainFileBelow, primary, primary.slice(0, slash))
    : wording(BUNDLE_TEXTS.mainFileMissing, primary);
}

/** By a file of the tool that manages the project's packages. */
const LISTING_COMMANDS = {
  'uv.lock': 'uv export --no-hashes --no-emit-project > requirements.txt',
  'poetry.lock': 'poetry export --without-hashes > requirements.txt',
  Pipfile: 'pipenv requirements > requirements.txt',
  // There, pip freeze writes paths of this machine.
  'environment.yml': 'pip list --format=freeze > requirements.txt',
  'requirement.txt': 'mv requirement.txt requirements.txt',
} as const;

async function listingCommand(root: string): Promise<string> {
  const there = new Set(await readdir(root));
  const found = Object.entries(LISTING_COMMANDS).find(([file]) => there.has(file));
  return found?.[1] ?? 'pip freeze > requirements.txt';
}

async function pythonOf(root: string, options: ManifestOptions, requirements: boolean): Promise<FilePython> {
  if (!requirements) {
    throw new BundleError(
      'requirements-missing',
      wording(BUNDLE_TEXTS.noRequirements, await listingCommand(root)),
      { paths: ['requirements.txt'] },
    );
  }
  const stated = options.python?.version ?? (await readPythonVersion(root))?.version;
  const version = normalVersion(stated ?? (await options.python?.probe?.()) ?? '');
  if (version === undefined) {
    throw new BundleError('python-version-unknown', wording(BUNDLE_TEXTS.noPythonVersion));
  }
  const pip = options.python?.pip;
  return {
    version,
    package_manager: {
      name: 'pip',
      ...(pip === undefined ? {} : { version: pip }),
      package_file: 'requirements.txt',
    },
  };
}

function metadataOf(content: NonNullable<ManifestOptions['content']>): FileMetadata {
  const field = findKind(content.appmode)?.primary;
  return {
    appmode: content.appmode,
    primary_rmd: field === 'primary_rmd' ? content.primary : null,
    primary_html: field === 'primary_html' ? content.primary : null,
    content_category: content.contentCategory === '' ? null : content.contentCategory,
    entrypoint: content.entrypoint === '' ? null : content.entrypoint,
    has_parameters: content.hasParameters,
  };
}

function contentOf(files: readonly BundleFile[]): BundleFile[] {
  return files.filter((file) => file.path !== 'manifest.json');
}

function has(files: readonly BundleFile[], name: string): boolean {
  return files.some((file) => file.path === name);
}
