// The commit that a bundle was made of, for servers that keep it.
import type { Client } from '../../client/client.ts';
import { isBefore } from './is-before.ts';

export interface SourceCommit {
  sha: string;
  branch?: string | undefined;
  /** Its address; one of ssh is sent as that of the web, and never with a user or a password. */
  repository?: string | undefined;
}

/** As far as it is known. */
export type KnownCommit = SourceCommit | Promise<SourceCommit | undefined> | undefined;

/** First version of other servers that takes a bundle as a form. */
const FIRST = { year: 2025, month: 12 };

/** The metadata of an upload; undefined without a commit, and for servers that do not keep it. */
export async function metadataOf(
  client: Client,
  given: KnownCommit,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  const commit = await given;
  if (commit === undefined) return undefined;
  const settings = await client.getServerSettings({}, { signal }).catch(() => undefined);
  // A server that tells no version may read the form as an archive.
  if (!settings?.version || isBefore(settings.version, FIRST)) return undefined;
  const { sha, branch } = commit;
  const repository = webAddress(commit.repository);
  return {
    source: 'git',
    source_commit: sha,
    ...(branch !== undefined && { source_branch: branch }),
    ...(repository !== undefined && { source_repo: repository }),
  };
}

function webAddress(repository = ''): string | undefined {
  // As git writes an address of ssh.
  const url = URL.parse(repository.replace(/^[\w.-]+@([\w.-]+):/, 'ssh://$1/'));
  if (!url || !/^(https?|ssh):$/.test(url.protocol)) return undefined;
  return url.protocol === 'ssh:' ? `https://${url.hostname}${url.pathname}` : url.origin + url.pathname;
}
