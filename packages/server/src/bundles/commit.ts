// The commit that a bundle was built from.
import type { BundleCommit, BundleGa } from '@pressroom/api/contract';

export interface Commit {
  readonly repository: string;
  readonly branch: string;
  /** Directory of the content within the repository. */
  readonly directory: string;
  readonly sha: string;
  readonly author: string;
  /** First line of the commit message. */
  readonly subject: string;
  /** As ISO 8601. */
  readonly time: string;
}

/** Null for an uploaded bundle. @param source as stored */
export function storedCommit(source: string | null): Commit | null {
  return source === null ? null : (JSON.parse(source) as Commit);
}

/** For the API; null for an uploaded bundle. */
export function shownCommit(source: string | null): BundleCommit | null {
  const commit = storedCommit(source);
  if (commit === null) return null;
  const { sha, subject, author, branch, repository } = commit;
  return { sha, subject, author, branch, repository };
}

export function presentCommit(source: string | null): Partial<BundleGa['metadata']> {
  const commit = storedCommit(source);
  if (commit === null) return {};
  return {
    source: 'git',
    source_repo: commit.repository,
    source_branch: commit.branch,
    source_commit: commit.sha,
    source_author: commit.author,
    source_subject: commit.subject,
    source_time: commit.time,
  };
}
