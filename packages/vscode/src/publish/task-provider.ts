// Publishing as a task, so that a build can run before it and other tools can wait for it.
import path from 'node:path';
import { printable, readRecords } from '@pressroom/api/publish';
import {
  CustomExecution,
  EventEmitter,
  l10n,
  Task,
  TaskScope,
  workspace,
  type Pseudoterminal,
  type TaskProvider,
} from 'vscode';
import type { Directories } from './directories/directories.ts';
import type { Publisher } from './publisher.ts';

export const TASK_TYPE = 'pressroom';

export function createTaskProvider(
  publisher: Pick<Publisher, 'publish'>,
  directories: Directories,
): TaskProvider {
  return {
    async provideTasks() {
      const tasks: Task[] = [];
      for (const dir of await directories.all()) {
        if ((await readRecords(dir).catch(() => [])).length === 0) continue;
        const folder = directories.folderOf(dir);
        const home = folder && directories.pathOf(folder.uri);
        if (folder === undefined || home === undefined) continue;
        const relative = path.relative(home, dir);
        const definition = { type: TASK_TYPE, ...(relative !== '' && { folder: relative }) };
        tasks.push(taskFor(publisher, definition, folder, dir, true));
      }
      return tasks;
    },
    resolveTask({ definition, scope }) {
      const folder = typeof scope === 'object' ? scope : workspace.workspaceFolders?.[0];
      const home = folder && directories.pathOf(folder.uri);
      if (home === undefined) return undefined;
      const { folder: relative = '' } = definition as { folder?: string };
      const dir = path.resolve(home, relative);
      const inside = directories.folderOf(dir) !== undefined;
      return taskFor(publisher, definition, scope ?? TaskScope.Workspace, dir, inside);
    },
  };
}

function taskFor(
  publisher: Pick<Publisher, 'publish'>,
  definition: Task['definition'],
  scope: NonNullable<Task['scope']>,
  dir: string,
  inside: boolean,
): Task {
  const execution = new CustomExecution(() => Promise.resolve(terminalFor(publisher, dir, inside)));
  const name = l10n.t('publish {0}', path.basename(dir));
  const task = new Task(definition, scope as never, name, TASK_TYPE, execution);
  task.presentationOptions = { clear: true, showReuseMessage: false };
  return task;
}

/** The deploy's output; exit code 0 if it is live. */
function terminalFor(publisher: Pick<Publisher, 'publish'>, dir: string, inside: boolean): Pseudoterminal {
  const written = new EventEmitter<string>();
  const closed = new EventEmitter<number>();
  const abort = new AbortController();
  const print = (text: string) => {
    for (const line of text.split('\n')) written.fire(`${printable(line)}\r\n`);
  };
  return {
    onDidWrite: written.event,
    onDidClose: closed.event,
    async open() {
      if (!inside) {
        print(l10n.t('{0} is not in this workspace.', dir));
        return closed.fire(2);
      }
      try {
        const ending = await publisher.publish(dir, { onLine: print, signal: abort.signal });
        closed.fire(ending?.type === 'done' ? 0 : 1);
      } catch (error) {
        print(String(error));
        closed.fire(1);
      }
    },
    close: () => abort.abort(),
  };
}
