// Resumes the deploys that were running when the window was closed.
import { workspace, type Disposable } from 'vscode';
import type { Memory } from '../store/memory.ts';
import type { Publisher } from './publisher.ts';

/** At once, or as soon as the workspace is trusted: keys are used in trusted workspaces only. */
export function resumeDeploys(
  memory: Pick<Memory, 'unfinished'>,
  resume: (...deploy: Parameters<Publisher['resume']>) => unknown,
): Disposable {
  const resumeAll = () => {
    for (const deploy of memory.unfinished()) if (deploy.forbidden !== true) resume(deploy);
  };
  if (workspace.isTrusted) resumeAll();
  return workspace.onDidGrantWorkspaceTrust(resumeAll);
}
