// The commit that a bundle was built from.
import type { BundleCommit, BundleGa } from '@pressroom/api/contract';
import { isObject } from '../platform/is-object.ts';

export interface Commit {
  readonly repository: string;
  readonly branch: string;
  /** Directory of the content within the repository. */
  readonly directory: string;
  /** Name of its Git tree, which only other files change; null for earlier bundles, and without that directory. */
  readonly tree: string | null;
  readonly sha: string;
  readonly author: string;
  /** First line of the commit message. */
  readonly subject: string;
  /** As ISO 8601. */
  readonly time: string;
}

/** What a client says of the directory that it published; nobody checked it. */
export interface ReportedCommit {
  readonly isReported: true;
  /** Ends in `-dirty` if files were changed since. */
  readonly sha: string;
  /** Empty if unknown, like `repository`. */
  readonly branch: string;
  readonly repository: string;
}

const SHA = /^[0-9a-f]{7,64}(-dirty)?$/i;
const BRANCH = /^[^\p{C}]{1,255}$/u;
/** Each bundle of a list has it. */
const MAX_ADDRESS = 2048;

/** Null where `metadata` of an upload names no commit; what is no branch or web address is left out. */
export function reportedCommit(metadata: string): ReportedCommit | null {
  const fields = readFields(metadata);
  const { source_commit: sha, source_branch: branch, source_repo: repository } = fields;
  if (typeof sha !== 'string' || !SHA.test(sha)) return null;
  return {
    isReported: true,
    sha,
    branch: typeof branch === 'string' && BRANCH.test(branch) ? branch : '',
    repository: typeof repository === 'string' ? webAddress(repository) : '',
  };
}

function readFields(metadata: string): Readonly<Record<string, unknown>> {
  try {
    const fields: unknown = JSON.parse(metadata);
    return isObject(fields) ? fields : {};
  } catch {
    return {};
  }
}

/** Without a user and a password, which addresses of working copies may have. */
function webAddress(text: string): string {
  const url = text.length > MAX_ADDRESS ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return '';
  return url.origin + url.pathname;
}

/** The commit that this server fetched; null for an uploaded bundle. @param source as stored */
export function storedCommit(source: string | null): Commit | null {
  const commit = anyCommit(source);
  return commit === null || 'isReported' in commit ? null : commit;
}

function anyCommit(source: string | null): Commit | ReportedCommit | null {
  return source === null ? null : (JSON.parse(source) as Commit | ReportedCommit);
}

/** For the API; null for a bundle of no known commit. */
export function shownCommit(source: string | null): BundleCommit | null {
  const commit = anyCommit(source);
  if (commit === null) return null;
  const { sha, branch, repository } = commit;
  const { subject = '', author = '' } = commit as Partial<Commit>;
  return { sha, subject, author, branch, repository };
}

export function presentCommit(source: string | null): Partial<BundleGa['metadata']> {
  const commit = anyCommit(source);
  if (commit === null) return {};
  const { sha, branch, repository } = commit;
  return {
    source: 'git',
    ...(repository !== '' && { source_repo: repository }),
    ...(branch !== '' && { source_branch: branch }),
    source_commit: sha,
    ...(!('isReported' in commit) && {
      source_author: commit.author,
      source_subject: commit.subject,
      source_time: commit.time,
    }),
  };
}
