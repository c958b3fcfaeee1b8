// A directory with a deploy: of a tree node, the only one, or picked from a list.
import path from 'node:path';
import { l10n, window } from 'vscode';

export async function pickDirectory(argument: unknown, dirs: readonly string[]): Promise<string | undefined> {
  const { dir: given } = (argument ?? {}) as { readonly dir?: unknown };
  if (typeof given === 'string') return given;
  if (dirs.length < 2) return dirs[0];
  const items = dirs.map((dir) => ({ label: path.basename(dir), description: dir, dir }));
  return (await window.showQuickPick(items, { placeHolder: l10n.t('Select content') }))?.dir;
}
