// Working directories of restores: created for each one, removed afterwards, swept after a crash.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ids } from '../../platform/clock.ts';
import type { LaunchOptions, Launcher } from '../sandbox/launcher.ts';

/** The account that installs: that of a content item, or one that nothing else has. */
export type InstalledBy = Pick<LaunchOptions, 'runAs' | 'content'>;

/**
 * For what is shared by content: processes that code of a package leaves behind must not reach other installations.
 * @param work unique
 */
export const alone = (work: string): InstalledBy => ({ runAs: null, content: work });

export interface Workspace {
  /** A new directory that only this server writes, and content may read. */
  open(): Promise<AsyncDisposable & { readonly path: string }>;
  /** A new subdirectory that a process of content may write. */
  openTo(path: string, by: InstalledBy): Promise<void>;
}

/** @param directory shared with other servers of the same data directory; see sweepRestores */
export async function createWorkspace(directory: string, ids: Ids, launcher: Launcher): Promise<Workspace> {
  await mkdir(directory, { recursive: true, mode: 0o755 });
  return {
    async open() {
      const path = join(directory, ids.taskId());
      await mkdir(path, { mode: 0o755 });
      return { path, [Symbol.asyncDispose]: () => launcher.remove(path) };
    },
    async openTo(path, by) {
      await mkdir(path, { mode: 0o700 });
      await launcher.give(path, by.runAs, by.content);
    },
  };
}
