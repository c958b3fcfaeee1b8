// Cancels a publish.
import path from 'node:path';
import { l10n, window } from 'vscode';
import type { Command } from './command.ts';
import { NODE } from './when.ts';

export const cancel: Command = {
  title: 'Cancel Publishing',
  icon: '$(debug-stop)',
  palette: 'pressroom.running',
  menus: [
    { in: 'view/item/context', when: `${NODE} /^directory\\.running/`, group: 'inline@1' },
    { in: 'view/item/context', when: `${NODE} /^directory\\.running/`, group: '1_run@1' },
  ],
  async run({ runs }, argument) {
    const running = runs.all().filter(({ state }) => state === 'running');
    const { dir: given } = (argument ?? {}) as { readonly dir?: unknown };
    const dir = typeof given === 'string' ? given : await oneOf(running.map((run) => run.dir));
    if (dir !== undefined) runs.cancel(dir);
  },
};

/** The only one, or one picked from a list. */
export async function oneOf(dirs: readonly string[]): Promise<string | undefined> {
  if (dirs.length < 2) return dirs[0];
  const items = dirs.map((dir) => ({ label: path.basename(dir), description: dir, dir }));
  return (await window.showQuickPick(items, { placeHolder: l10n.t('Select content') }))?.dir;
}
