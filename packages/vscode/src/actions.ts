// Commands, publishing and tools, in a separate file of the package that is loaded on first use, so that the editor
// starts sooner.
import { readArchive } from '@pressroom/api/publish';
import type { Disposable } from 'vscode';
import type { CommandParts } from './commands/command.ts';
import { COMMANDS } from './commands/table.ts';
import { createDependencies, type Dependencies } from './publish/plan/dependencies.ts';
import type { Publisher } from './publish/publisher.ts';
import { createDiagnostics } from './publish/run/diagnostics.ts';
import { createPublishing, type PublishingParts } from './publish/wire.ts';
import { TOOLS } from './tools/table.ts';
import type { Tool, ToolParts } from './tools/tool.ts';
import { IN_BROWSER } from './web/platform/in-browser.ts';
import { readArchiveInBrowser } from './web/read-archive.ts';

export interface Actions extends Disposable {
  readonly publisher: Publisher;
  readonly dependencies: Dependencies;
  readonly toolParts: ToolParts;
  run(command: string, argument: unknown): unknown;
  tool(name: string): Tool;
}

export type ActionParts = Omit<
  PublishingParts & CommandParts & ToolParts,
  'publisher' | 'planner' | 'dependencies' | 'diagnostics'
>;

export function createActions(parts: ActionParts): Actions {
  const dependencies = createDependencies(parts.directories);
  const diagnostics = createDiagnostics(parts.directories);
  const { publisher, planner } = createPublishing({ ...parts, dependencies, diagnostics });
  return {
    publisher,
    dependencies,
    toolParts: { ...parts, publisher, dependencies },
    run: (name, argument) => rowOf(COMMANDS, name).run({ ...parts, publisher, planner }, argument),
    tool: (name) => rowOf(TOOLS, name),
    dispose() {
      dependencies.dispose();
      diagnostics.dispose();
    },
  };
}

export const readBundle = IN_BROWSER ? readArchiveInBrowser : readArchive;

/** The manifest, generated from the same table, contains no other rows. */
function rowOf<T>(table: Readonly<Record<string, T>>, name: string): T {
  const row = table[name];
  if (row === undefined) throw new Error(`There is no ${name}.`);
  return row;
}
