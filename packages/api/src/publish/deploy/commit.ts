// The commit that a bundle was made of, for servers that keep it.
import type { Client } from '../../client/client.ts';
import { isBefore } from './is-before.ts';

export interface SourceCommit {
  sha: string;
  branch?: string | undefined;
  /** Web address. */
  repository?: string | undefined;
}

/** First version of other servers that takes a bundle as a form. */
const FIRST = { year: 2025, month: 12 };

/** The metadata of an upload; undefined without a commit, and for servers that do not keep it. */
export async function metadataOf(
  client: Client,
  commit: SourceCommit | undefined,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  if (commit === undefined) return undefined;
  const settings = await client.getServerSettings({}, { signal }).catch(() => undefined);
  // A server that tells no version may read the form as an archive.
  if (!settings?.version || isBefore(settings.version, FIRST)) return undefined;
  const { sha, branch, repository } = commit;
  return {
    source: 'git',
    source_commit: sha,
    ...(branch !== undefined && { source_branch: branch }),
    ...(repository !== undefined && { source_repo: repository }),
  };
}
