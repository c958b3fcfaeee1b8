// Problems of publishing a directory to a content item, detected before anything is packed or sent.
import path from 'node:path';
import type { ContentItem } from '../../client/methods.ts';
import { findKind } from '../../contract/find-kind.ts';
import { isObject } from '../../contract/is-object.ts';
import type { Language } from '../../contract/kind-row.ts';
import { meetsRequirement, parseVersionRequirement } from '../../contract/manifest/version-requirement.ts';
import type { BundleFile } from '../collect/bundle-file.ts';
import { secretFiles } from '../collect/secret-files.ts';
import { languageOf } from '../dependencies/language-of.ts';
import { readPythonRequirement, readPythonVersion } from '../manifest/python-version.ts';
import { readSmall } from '../manifest/read-small.ts';
import type { ServerFacts } from './server-facts.ts';

/** A code with details, to be worded in the person's language. */
export type Finding =
  /** Nobody can publish until it is unlocked. `dashboard` is where to unlock it, if the server says. */
  | {
      readonly code: 'locked';
      readonly content: string;
      readonly reason: string;
      readonly dashboard: string | null;
    }
  | { readonly code: 'not-editor'; readonly content: string }
  /** Content keeps its kind. Both are keys of KINDS or app modes of the contract. */
  | {
      readonly code: 'other-type';
      readonly content: string;
      readonly published: string;
      readonly type: string;
    }
  | { readonly code: 'no-runtime'; readonly language: Language }
  /** Only a hint: servers have their own policy on version matching. */
  | {
      readonly code: 'other-runtime';
      readonly language: Language;
      /** A version, or a requirement such as ">=3.10". */
      readonly wanted: string;
      /** The file that requires it. */
      readonly from: string;
      readonly installed: readonly string[];
    }
  /** Before compression; in bytes. */
  | { readonly code: 'too-large'; readonly bytes: number; readonly limit: number }
  /** Files whose names suggest secrets. `isListed`: by an own manifest.json; ignore files do not exclude them. */
  | { readonly code: 'secret-files'; readonly files: readonly string[]; readonly isListed?: true };

export interface PreflightOptions {
  readonly dir: string;
  /** `metadata.appmode` of the manifest. */
  readonly appmode: string;
  readonly files: readonly BundleFile[];
  /** Of the files, in bytes. */
  readonly bytes: number;
  /** Whether an own manifest.json lists the files. */
  readonly isListed?: boolean;
  /** Undefined for new content, or if it could not be read. */
  readonly content: ContentItem | undefined;
  readonly facts: ServerFacts;
}

/** Most severe first. Reads only files that name versions. */
export async function preflight(options: PreflightOptions): Promise<Finding[]> {
  const { dir, appmode, files, bytes, isListed = false, content, facts } = options;
  const language = await languageOf(dir, files, appmode);
  const secrets = secretFiles(files);
  const { maxBundleBytes: limit } = facts;
  return [
    ...(content === undefined ? [] : ofContent(content, appmode)),
    ...(language === null ? [] : await ofRuntime(dir, language, facts)),
    ...(limit !== undefined && bytes > limit ? [{ code: 'too-large', bytes, limit } as const] : []),
    ...(secrets.length > 0
      ? [{ code: 'secret-files', files: secrets, ...(isListed && { isListed }) } as const]
      : []),
  ];
}

function ofContent(content: ContentItem & { locked?: boolean; locked_message?: string }, appmode: string) {
  const found: Finding[] = [];
  const { name, role, app_mode, locked, locked_message = '', dashboard_url = null } = content;
  if (locked === true)
    found.push({ code: 'locked', content: name, reason: locked_message, dashboard: dashboard_url });
  if (role === 'viewer' || role === 'none') found.push({ code: 'not-editor', content: name });
  if (!isSameType(app_mode, appmode))
    found.push({ code: 'other-type', content: name, published: app_mode, type: appmode });
  return found;
}

/** An empty or unknown mode means that nothing was deployed yet. Unknown modes are not compared. */
function isSameType(published: string, appmode: string): boolean {
  const kind = findKind(appmode);
  if (kind === undefined || published === '' || published === 'unknown') return true;
  return published === appmode || published === kind.app_mode || findKind(published) === undefined;
}

async function ofRuntime(dir: string, language: Language, { versions }: ServerFacts): Promise<Finding[]> {
  if (versions === undefined) return [];
  if (versions.length === 0) return [{ code: 'no-runtime', language }];
  const requires = language === 'Python' ? await readPythonRequirement(dir) : undefined;
  const requirement = requires === undefined ? null : parseVersionRequirement(requires);
  if (requires !== undefined && requirement !== null) {
    if (versions.some((version) => meetsRequirement(version, requirement))) return [];
    return [
      { code: 'other-runtime', language, wanted: requires, from: 'pyproject.toml', installed: versions },
    ];
  }
  const wanted = language === 'R' ? await readRVersion(dir) : await readPythonVersion(dir);
  if (wanted === undefined || versions.some((version) => minor(version) === minor(wanted.version))) return [];
  return [
    { code: 'other-runtime', language, wanted: wanted.version, from: wanted.from, installed: versions },
  ];
}

const minor = (version: string): string => version.split('.').slice(0, 2).join('.');

async function readRVersion(dir: string): Promise<{ version: string; from: string } | undefined> {
  try {
    const lock: unknown = JSON.parse(await readSmall(path.join(dir, 'renv.lock')));
    const version = isObject(lock) && isObject(lock.R) ? lock.R.Version : undefined;
    return typeof version === 'string' ? { version, from: 'renv.lock' } : undefined;
  } catch {
    // Missing, or damaged, which is reported when the manifest is written.
    return undefined;
  }
}
