// What each command does; the compiler sees to it that none of the table is missing.
import path from 'node:path';
import { readRecords, type StoredRecord } from '@pressroom/api';
import { commands, l10n, Uri, window } from 'vscode';
import type { Keys } from '../sign-in/keys.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { CommandName } from './table.ts';
import type { Directories } from '../publish/directories.ts';
import type { Log } from '../publish/drive.ts';
import type { History } from '../store/history.ts';
import type { Memory } from '../store/memory.ts';
import { openPage } from '../publish/outcome.ts';
import type { Planner } from '../publish/plan.ts';
import { mayUseKeys, type Publisher } from '../publish/publisher.ts';
import type { Runs } from '../store/runs.ts';
import { hostOf } from '../ui/texts.ts';
import { showDifferences } from '../views/bundle-documents.ts';
import type { BundleNode, ContentNode, DeploymentNode } from '../views/deployments.ts';
import type { FilesView } from '../views/files.ts';
import type { ProcessLogs } from '../views/process-logs.ts';
import { setVariables } from './set-variables.ts';

export interface CommandParts {
  readonly directories: Directories;
  readonly publisher: Publisher;
  readonly planner: Planner;
  readonly keys: Keys;
  readonly signIn: SignIn;
  readonly runs: Runs;
  readonly memory: Memory;
  readonly history: History;
  readonly files: FilesView;
  readonly processLogs: ProcessLogs;
  readonly log: Log;
  readonly refresh: () => void;
}

export type Handlers = { readonly [Name in CommandName]: (argument?: unknown) => unknown };

export function createHandlers(parts: CommandParts): Handlers {
  const { directories, publisher, planner, keys, signIn, runs, memory, history, files, log, refresh } = parts;

  /** The content a command means: of a tree node, else the newest record of the directory. */
  async function contentFor(argument: unknown): Promise<{ dir: string; record: StoredRecord } | undefined> {
    const node = argument as Partial<ContentNode> | undefined;
    if (node?.record !== undefined && node.dir !== undefined) return { dir: node.dir, record: node.record };
    const dir = await directories.meantBy(argument);
    if (dir === undefined) return undefined;
    const [record] = await readRecords(dir);
    if (record !== undefined) return { dir, record };
    void window.showInformationMessage(l10n.t('{0} was not published yet.', path.basename(dir)));
    return undefined;
  }

  /** As contentFor, where keys may be used and there is one. */
  async function signedIn(argument: unknown) {
    if (!mayUseKeys()) return undefined;
    const found = await contentFor(argument);
    if (found === undefined) return undefined;
    const { server } = found.record;
    const key =
      (await keys.get(server)) ?? ((await signIn.key(server)) === true ? await keys.get(server) : undefined);
    return key === undefined ? undefined : found;
  }

  async function activeBundle(record: StoredRecord): Promise<string | undefined> {
    const bundles = await history.bundles(record);
    return bundles.find((bundle) => bundle.active)?.id;
  }

  async function showFiles(argument: unknown): Promise<void> {
    const dir = await directories.meantBy(argument);
    if (dir === undefined) return;
    files.show(dir);
    await commands.executeCommand('pressroom.files.focus');
  }

  return {
    async publish(argument) {
      const dir = await directories.meantBy(argument ?? files.dir);
      if (dir !== undefined) await publisher.publish(dir);
    },
    async publishAsNew(argument) {
      const dir = await directories.meantBy(argument);
      if (dir !== undefined) await publisher.publish(dir, { asNew: true, elsewhere: true });
    },
    async chooseType(argument) {
      const dir = await directories.meantBy(argument);
      if (dir !== undefined && (await planner.chooseType(dir))) refresh();
    },
    async cancel(argument) {
      const running = runs.all().filter(({ state }) => state === 'running');
      const dir =
        (argument as DeploymentNode & { dir?: string })?.dir ?? (await oneOf(running.map((run) => run.dir)));
      if (dir !== undefined) runs.cancel(dir);
    },
    async lookAgain(argument) {
      const dir = (argument as { dir?: string })?.dir;
      const found = memory.unfinished().find((item) => item.dir === dir);
      if (found) await publisher.resume(found);
    },
    async open(argument) {
      const found = await signedIn(argument);
      if (found) openPage(await history.url(found.record));
    },
    async compare(argument) {
      const found = await signedIn(argument);
      if (!found) return;
      const { dir, record } = found;
      const bundleId = await activeBundle(record);
      if (bundleId !== undefined) await showDifferences(history, directories, dir, { ...record, bundleId });
      else void window.showInformationMessage(l10n.t('No bundle is active.'));
    },
    async compareBundle(argument) {
      const { dir, record, bundle } = argument as BundleNode;
      if (await signedIn(argument))
        await showDifferences(history, directories, dir, { ...record, bundleId: bundle.id });
    },
    async rollback(argument) {
      const { dir, record, bundle } = argument as BundleNode;
      await publisher.rollback(dir, { server: record.server, guid: record.guid, bundle_id: bundle.id });
    },
    async rollbackLast(argument) {
      const found = await signedIn(argument);
      if (!found) return;
      const bundles = await history.bundles(found.record);
      const active = bundles.findIndex((bundle) => bundle.active);
      const before = active === -1 ? undefined : bundles[active + 1];
      if (before === undefined) {
        void window.showInformationMessage(l10n.t('There is no bundle before the active one.'));
        return;
      }
      const { server, guid } = found.record;
      await publisher.rollback(found.dir, { server, guid, bundle_id: before.id });
    },
    async setVariables(argument) {
      const found = await signedIn(argument);
      if (!found) return;
      const { dir, record } = found;
      const given = argument instanceof Uri ? argument : undefined;
      // To that very content: the folder may have been published elsewhere later.
      await setVariables(found, given, directories, history, () =>
        publisher.publish(dir, { guid: record.guid, again: { server: record.server } }),
      );
    },
    async showProcessLog(argument) {
      const found = await signedIn(argument);
      if (found) await parts.processLogs.show(found.record);
    },
    showFiles,
    showLog: () => log.show(),
    refresh,
    async signIn(argument) {
      const done = typeof argument === 'string' ? await signIn.key(argument) : await signIn.server();
      if (done) refresh();
    },
    async signOut() {
      const accounts = keys.accounts();
      const items = accounts.map(({ server, username }) => ({
        label: hostOf(server),
        description: username,
        server,
      }));
      const picked = await window.showQuickPick(items, { placeHolder: l10n.t('Sign out of which server?') });
      if (picked) await keys.remove(picked.server);
      refresh();
    },
  };
}

async function oneOf(dirs: readonly string[]): Promise<string | undefined> {
  if (dirs.length < 2) return dirs[0];
  const items = dirs.map((dir) => ({ label: path.basename(dir), description: dir, dir }));
  return (await window.showQuickPick(items, { placeHolder: l10n.t('Which content?') }))?.dir;
}
