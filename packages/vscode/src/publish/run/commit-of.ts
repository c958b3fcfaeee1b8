// The commit that a folder is at, as the editor's Git extension knows it.
import path from 'node:path';
import type { SourceCommit } from '@pressroom/api/publish';
import { extensions, type Uri } from 'vscode';

interface Change {
  readonly uri: Uri;
}

/** What is used of the API of the Git extension. */
interface Repository {
  readonly state: {
    readonly HEAD?: { readonly commit?: string; readonly name?: string } | undefined;
    readonly remotes: readonly { readonly name: string; readonly fetchUrl?: string }[];
    readonly indexChanges: readonly Change[];
    readonly workingTreeChanges: readonly Change[];
    readonly untrackedChanges?: readonly Change[];
  };
  /** Reads the state again. */
  status(): Promise<void>;
}
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: Uri): Repository | null };
}

/** Undefined outside of a repository, before its first commit, and without Git. */
export async function commitOf(folder: Uri): Promise<SourceCommit | undefined> {
  const git = extensions.getExtension<GitExtension>('vscode.git');
  if (git?.isActive !== true) return undefined;
  try {
    const repository = git.exports.getAPI(1).getRepository(folder);
    if (repository === null) return undefined;
    await repository.status();
    const { HEAD, remotes, indexChanges, workingTreeChanges, untrackedChanges = [] } = repository.state;
    if (HEAD?.commit === undefined) return undefined;
    const isDirty = [...indexChanges, ...workingTreeChanges, ...untrackedChanges].some(({ uri }) =>
      isPublished(folder, uri),
    );
    return {
      sha: HEAD.commit + (isDirty ? '-dirty' : ''),
      branch: HEAD.name,
      repository: (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.fetchUrl,
    };
  } catch {
    // Git is turned off in the settings, or fails: the publish does not need it.
    return undefined;
  }
}

/** Records change with each publish, and are not part of it. */
function isPublished(folder: Uri, { path: file }: Uri): boolean {
  const name = path.posix.relative(folder.path, file);
  return name !== '..' && !name.startsWith('../') && !name.startsWith('.pressroom/');
}
