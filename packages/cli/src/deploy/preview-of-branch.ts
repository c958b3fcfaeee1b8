// The git branch for a preview: from the CI's variables, else from the directory.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { previewNameOf } from '@pressroom/api/publish';
import { pipelineBranch } from '../ci/pipeline-commit.ts';
import { UsageError } from '../exit-codes.ts';

const run = promisify(execFile);

/** Throws UsageError if no branch is known. */
export async function previewOfBranch(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const branch = pipelineBranch(env) ?? (await branchOf(dir, env));
  const name = branch === null ? null : previewNameOf(branch);
  if (name === null)
    throw new UsageError('No git branch gives the preview a name.', 'Name it: --preview-name NAME');
  return name;
}

/** Null outside a repository, or without a checked-out branch. */
async function branchOf(
  dir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['-C', dir, 'branch', '--show-current'], { env: { ...env } });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}
